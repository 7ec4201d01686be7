//===- Session.cpp - A loaded plan that can be run ------------------------===//
//
// The API of Session.h over a World, and the traffic between global arrays and
// the ranks' shards.
//
//===----------------------------------------------------------------------===//

#include "partopt-rt/Session.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"
#include "runtime/exec/World.h"
#include "runtime/io/ShardCopy.h"

#include <cstdio>
#include <set>
#include <system_error>

namespace partopt::rt {

StatusOr<Fault> parseFault(const std::string &text) {
  unsigned rank = 0, instruction = 0, milliseconds = 0;
  int used = 0;
  // %u takes signs, which no number here has.
  bool isPlain = text.find_first_of("+-") == std::string::npos;
  auto isWhole = [&] {
    return isPlain && used > 0 && static_cast<size_t>(used) == text.size();
  };
  auto matches = [&](const char *pattern) {
    used = 0;
    std::sscanf(text.c_str(), pattern, &rank, &instruction, &used);
    return isWhole();
  };
  if (matches("throw:%u@%u%n"))
    return Fault{Fault::Kind::Throw, rank, instruction, 0};
  if (matches("stall:%u@%u%n"))
    return Fault{Fault::Kind::Stall, rank, instruction, 0};
  used = 0;
  std::sscanf(text.c_str(), "slow:%u@%u:%u%n", &rank, &instruction,
              &milliseconds, &used);
  if (isWhole())
    return Fault{Fault::Kind::Slow, rank, instruction, milliseconds};
  return Status::badInput("cannot read the fault '" + text +
                          "': expected throw:RANK@INSTRUCTION, "
                          "slow:RANK@INSTRUCTION:MS or stall:RANK@INSTRUCTION");
}

StatusOr<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const plan::PlanT> plan,
                const SessionOptions &options) {
  StatusOr<std::shared_ptr<World>> world =
      World::create(std::move(plan), options);
  if (!world.ok())
    return world.status();
  std::unique_ptr<Session> session(new Session());
  session->world = *world;
  try {
    for (std::function<void()> &body : session->world->threadBodies())
      session->threads.emplace_back(
          [held = session->world, body = std::move(body)] { body(); });
  } catch (const std::system_error &error) {
    return Status::rankFailed("cannot start a thread for each of " +
                              std::to_string(session->plan().devices) +
                              " ranks, only " +
                              std::to_string(session->threads.size()) +
                              " threads in all: " + error.code().message());
  }
  return session;
}

StatusOr<std::unique_ptr<Session>>
Session::load(const std::string &path, const SessionOptions &options) {
  std::string error;
  std::shared_ptr<const plan::PlanT> plan = plan::readPlanFile(path, error);
  if (!plan)
    return Status::badInput(error);
  return create(std::move(plan), options);
}

Session::~Session() {
  world->stop();
  for (std::thread &thread : threads)
    if (world->stuck())
      thread.detach();
    else
      thread.join();
}

const plan::PlanT &Session::plan() const { return *world->plan; }

int Session::findEntry(const std::string &name) const {
  for (size_t i = 0; i < plan().entries.size(); ++i)
    if (plan().entries[i]->name == name)
      return static_cast<int>(i);
  return -1;
}

std::vector<const plan::ArgumentT *> Session::arguments(size_t entry) const {
  return plan::argumentsOf(plan(), entry);
}

std::vector<const plan::ResultT *> Session::results(size_t entry) const {
  return plan::resultsOf(plan(), entry);
}

Status Session::setArgument(size_t entry, size_t index,
                            const ArraySource &source) {
  std::string name = arguments(entry)[index]->tensor->index_name;
  std::vector<uint8_t> row;
  for (const auto &rank : world->ranks) {
    const plan::ProgramT &program = *rank->programs[entry].program;
    for (const auto &argument : program.arguments) {
      const plan::TensorT &tensor = *argument->tensor;
      if (tensor.index_name != name)
        continue;
      const plan::BufferT &buffer = *program.buffers[argument->buffer];
      uint8_t *base = rank->memory.at(buffer);
      uint64_t size = plan::elementSize(tensor.type);
      // Programs never depend on padding; if one does, this makes it show.
      rank->device->fill(base, 0xff, buffer.bytes);
      forEachRun(tensor.global_shape, tensor.local_shape,
                 world->mesh.shardRange(rank->number, tensor),
                 [&](const ShardRun &run) {
                   row.resize(run.count * size);
                   source.read(run.global, run.count, row.data());
                   rank->device->upload(base + run.local * size, row.data(),
                                        row.size());
                 });
    }
  }
  return Status();
}

/// Gives `sink` every element once: a shard that several ranks hold comes from
/// the first of them.
static void gather(const World &world, size_t entry, const std::string &name,
                   bool fromResults, ArraySink &sink) {
  std::set<std::vector<uint64_t>> seen;
  std::vector<uint8_t> row;
  for (const auto &rank : world.ranks) {
    const plan::ProgramT &program = *rank->programs[entry].program;
    auto take = [&](const plan::TensorT &tensor, uint32_t bufferIndex) {
      std::vector<plan::DimRange> ranges =
          world.mesh.shardRange(rank->number, tensor);
      std::vector<uint64_t> key;
      for (const plan::DimRange &range : ranges)
        key.push_back(range.begin);
      if (tensor.index_name != name || !seen.insert(key).second)
        return;
      const uint8_t *base = rank->memory.at(*program.buffers[bufferIndex]);
      uint64_t size = plan::elementSize(tensor.type);
      forEachRun(tensor.global_shape, tensor.local_shape, ranges,
                 [&](const ShardRun &run) {
                   row.resize(run.count * size);
                   rank->device->download(row.data(), base + run.local * size,
                                          row.size());
                   sink.write(run.global, run.count, row.data());
                 });
    };
    if (!fromResults)
      for (const auto &argument : program.arguments)
        take(*argument->tensor, argument->buffer);
    else
      for (const auto &result : program.results)
        take(*result->tensor, result->alias >= 0
                                  ? program.arguments[result->alias]->buffer
                                  : result->buffer);
  }
}

Status Session::readResult(size_t entry, size_t index, ArraySink &sink) const {
  gather(*world, entry, results(entry)[index]->tensor->index_name, true, sink);
  return Status();
}

Status Session::readArgument(size_t entry, size_t index,
                             ArraySink &sink) const {
  gather(*world, entry, arguments(entry)[index]->tensor->index_name, false,
         sink);
  return Status();
}

Status Session::step(size_t entry) { return world->runStep(entry); }

SessionStats Session::stats() const { return world->stats(); }

Status Session::checkCounts() const { return world->checkCounts(); }

Status Session::writeTrace(const std::string &path) const {
  return world->tracer.write(path, plan());
}

} // namespace partopt::rt
