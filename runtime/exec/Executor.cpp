//===- Executor.cpp - What runs the steps of a session --------------------===//
//
// The accounts, which are the same whatever runs the steps: what was counted
// against what the plan says of each rank.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Executor.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"

namespace partopt::rt {

uint16_t maxStreams(const plan::PlanT &plan) {
  uint16_t streams = 0;
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      streams = std::max(streams, program->num_streams);
  return streams;
}

const plan::ProgramT &Executor::programOf(uint32_t rank, size_t entry) const {
  return *plan::programOf(*plan->classes[plan->rank_class[rank]],
                          static_cast<uint32_t>(entry));
}

namespace {

/// One rank's counts against the plan's.
class RankAccount {
public:
  RankAccount(const Executor &executor, uint32_t rank,
              const SessionStats &counted, const std::vector<uint64_t> &steps)
      : executor(executor), rank(rank), counted(counted), steps(steps) {}

  Status check();

private:
  Status differs(const std::string &what, uint64_t have, uint64_t want) const {
    return Status::differs("rank " + std::to_string(rank) + " " + what + " " +
                           std::to_string(have) + ", the plan says " +
                           std::to_string(want));
  }
  void addCollectives(const plan::ProgramT &program, uint64_t times);
  Status checkCollectives() const;
  Status checkHeld(const plan::ProgramT &program, size_t entry) const;

  const Executor &executor;
  uint32_t rank;
  const SessionStats &counted;
  const std::vector<uint64_t> &steps;
  PerKind bytes{}, count{};
};

void RankAccount::addCollectives(const plan::ProgramT &program,
                                 uint64_t times) {
  for (const auto &instruction : program.instructions) {
    const auto *op = instruction->op.AsCollectiveStart();
    if (!op)
      continue;
    auto kind = static_cast<size_t>(op->kind);
    uint64_t runs = times * op->trip_count;
    bytes[kind] +=
        runs * plan::wireBytesSent(*op, executor.mesh.groupSize(op->axes),
                                   executor.mesh.groupIndex(rank, op->axes));
    count[kind] += runs;
  }
}

Status RankAccount::checkCollectives() const {
  for (size_t kind = 0; kind < numCollectiveKinds; ++kind) {
    std::string name =
        plan::collectiveName(static_cast<plan::CollectiveKind>(kind));
    if (counted.collectives[rank][kind] != count[kind])
      return differs("executed " + name + " times:",
                     counted.collectives[rank][kind], count[kind]);
    if (counted.wireBytes[rank][kind] != bytes[kind])
      return differs("sent bytes for " + name + ":",
                     counted.wireBytes[rank][kind], bytes[kind]);
  }
  return Status();
}

Status RankAccount::checkHeld(const plan::ProgramT &program,
                              size_t entry) const {
  const plan::MemoryCount &held = counted.memory[rank][entry];
  plan::MemoryCount planned = plan::countMemory(program);
  for (size_t i = 0; i < plan::numMemoryClasses; ++i)
    if (held.peak[i] != planned.peak[i])
      return differs(
          std::string("held bytes of ") +
              plan::memoryClassName(static_cast<plan::MemoryClass>(i)) + ":",
          held.peak[i], planned.peak[i]);
  return Status();
}

Status RankAccount::check() {
  uint64_t resident = 0, arena = 0;
  for (size_t entry = 0; entry < steps.size(); ++entry) {
    const plan::ProgramT &program = executor.programOf(rank, entry);
    resident = std::max(resident, program.resident_bytes);
    arena = std::max(arena, program.arena_bytes);
    addCollectives(program, steps[entry]);
  }
  Status status = checkCollectives();
  for (size_t entry = 0; entry < steps.size() && status.ok(); ++entry)
    if (steps[entry] > 0)
      status = checkHeld(executor.programOf(rank, entry), entry);
  if (!status.ok())
    return status;
  if (counted.residentBytes[rank] != resident)
    return differs("allocated resident bytes:", counted.residentBytes[rank],
                   resident);
  if (counted.arenaBytes[rank] != arena)
    return differs("allocated arena bytes:", counted.arenaBytes[rank], arena);
  return Status();
}

} // namespace

Status Executor::checkCounts() const {
  SessionStats counted = stats();
  for (uint32_t rank = 0; rank < plan->devices; ++rank)
    if (Status status = RankAccount(*this, rank, counted, stepsOfEntry).check();
        !status.ok())
      return status;
  return Status();
}

} // namespace partopt::rt
