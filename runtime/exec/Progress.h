//===- Progress.h - Where every rank stands -------------------------------===//
//
// A few atomics per rank, written as it goes and read by whoever has to explain
// why nothing moves.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_PROGRESS_H
#define PARTOPT_RUNTIME_EXEC_PROGRESS_H

#include "partopt/Plan/PlanFormat_generated.h"
#include "partopt/Plan/ProgramWalk.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace partopt::rt {

/// "instruction 5 (dot, at "f.py":3:1)", and " in turn 7 (loop 1, iteration 3)"
/// where there are turns.
std::string instructionText(const plan::PlanT &plan,
                            const plan::ProgramT &program, uint32_t index,
                            uint32_t turn = plan::WalkStep::none);

class Progress {
public:
  static constexpr uint32_t none = UINT32_MAX;

  Progress(const plan::PlanT &plan, uint16_t streams)
      : plan(plan), streams(streams), ranks(plan.devices), turns(plan.devices),
        collectives(size_t(plan.devices) * streams) {
    for (std::atomic<uint32_t> &collective : collectives)
      collective.store(none);
  }

  void beginStep(uint32_t newStep, uint32_t newEntry) {
    stepNumber.store(newStep);
    entry.store(newEntry);
  }
  uint32_t step() const { return stepNumber.load(); }

  /// `index` is the instruction that `rank` works at, none between steps, and
  /// `turn` that of interleaved loops, or none.
  void at(uint32_t rank, uint32_t index, uint32_t turn = none) {
    ranks[rank].store(index, std::memory_order_relaxed);
    turns[rank].store(turn, std::memory_order_relaxed);
  }
  /// `index` is the collective that runs on `stream`; none when it is idle.
  void communicates(uint32_t rank, uint16_t stream, uint32_t index) {
    collectives[size_t(rank) * streams + stream].store(
        index, std::memory_order_relaxed);
  }

  const plan::ProgramT &programOf(uint32_t rank) const;

  /// One line per rank.
  std::string describe() const;

private:
  const plan::PlanT &plan;
  uint16_t streams;
  std::atomic<uint32_t> stepNumber{0}, entry{0};
  std::vector<std::atomic<uint32_t>> ranks, turns, collectives;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_PROGRESS_H
