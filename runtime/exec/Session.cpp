//===- Session.cpp - A loaded plan that can be run ------------------------===//
//
// The API of Session.h over an executor, and the traffic between global arrays
// and the ranks' shards.
//
//===----------------------------------------------------------------------===//

#include "partopt-rt/Session.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/NearestWord.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/VerifyPlan.h"
#include "runtime/drivers/cuda/CudaDriver.h"
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
                          "slow:RANK@INSTRUCTION:MS or stall:RANK@INSTRUCTION" +
                          words::didYouMean(text.substr(0, text.find(':')),
                                            {"throw", "slow", "stall"}));
}

static StatusOr<std::shared_ptr<Executor>>
openExecutor(std::shared_ptr<const plan::PlanT> plan,
             const SessionOptions &options) {
  std::vector<std::string> problems = plan::verifyPlan(*plan);
  if (!problems.empty())
    return Status::badInput(
        "the plan does not verify: " + problems[0] +
        (problems.size() > 1 ? " (and " + std::to_string(problems.size() - 1) +
                                   " more problems)"
                             : ""));
  return options.driver == DriverKind::Cuda
             ? openCudaExecutor(std::move(plan), options)
             : World::create(std::move(plan), options);
}

StatusOr<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const plan::PlanT> plan,
                const SessionOptions &options) {
  StatusOr<std::shared_ptr<Executor>> executor =
      openExecutor(std::move(plan), options);
  if (!executor.ok())
    return executor.status();
  std::unique_ptr<Session> session(new Session());
  session->executor = *executor;
  try {
    for (std::function<void()> &body : session->executor->threadBodies())
      session->threads.emplace_back(
          [held = session->executor, body = std::move(body)] { body(); });
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
  executor->stop();
  for (std::thread &thread : threads)
    if (executor->stuck())
      thread.detach();
    else
      thread.join();
}

const plan::PlanT &Session::plan() const { return *executor->plan; }

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

/// A shard goes to its device in one piece: each transfer may cost a wait.
Status Session::setArgument(size_t entry, size_t index,
                            const ArraySource &source) {
  std::string name = arguments(entry)[index]->tensor->index_name;
  std::vector<uint8_t> shard;
  for (uint32_t rank = 0; rank < plan().devices; ++rank) {
    const plan::ProgramT &program = executor->programOf(rank, entry);
    for (const auto &argument : program.arguments) {
      const plan::TensorT &tensor = *argument->tensor;
      if (tensor.index_name != name)
        continue;
      const plan::BufferT &buffer = *program.buffers[argument->buffer];
      uint64_t size = plan::elementSize(tensor.type);
      // Programs never depend on padding; if one does, this makes it show.
      shard.assign(buffer.bytes, 0xff);
      forEachRun(
          tensor.global_shape, tensor.local_shape,
          executor->mesh.shardRange(rank, tensor), [&](const ShardRun &run) {
            source.read(run.global, run.count, shard.data() + run.local * size);
          });
      Status status = executor->deviceOf(rank).upload(
          executor->memoryOf(rank).at(buffer), shard.data(), shard.size());
      if (!status.ok())
        return status;
    }
  }
  return Status();
}

namespace {

/// Collects an array from the ranks. A shard that several ranks hold comes from
/// the first of them.
class Gatherer {
public:
  Gatherer(const Executor &executor, size_t entry, std::string name,
           ArraySink &sink)
      : executor(executor), entry(entry), name(std::move(name)), sink(sink) {}

  Status run(bool fromResults);

private:
  Status take(uint32_t rank, const plan::TensorT &tensor, uint32_t buffer);

  const Executor &executor;
  size_t entry;
  std::string name;
  ArraySink &sink;
  std::set<std::vector<uint64_t>> seen;
  std::vector<uint8_t> shard;
};

Status Gatherer::take(uint32_t rank, const plan::TensorT &tensor,
                      uint32_t buffer) {
  std::vector<plan::DimRange> ranges = executor.mesh.shardRange(rank, tensor);
  std::vector<uint64_t> key;
  for (const plan::DimRange &range : ranges)
    key.push_back(range.begin);
  if (tensor.index_name != name || !seen.insert(key).second)
    return Status();
  const plan::ProgramT &program = executor.programOf(rank, entry);
  uint64_t size = plan::elementSize(tensor.type);
  shard.resize(plan::elementCount(tensor.local_shape) * size);
  Status status = executor.deviceOf(rank).download(
      shard.data(), executor.memoryOf(rank).at(*program.buffers[buffer]),
      shard.size());
  if (!status.ok())
    return status;
  forEachRun(tensor.global_shape, tensor.local_shape, ranges,
             [&](const ShardRun &run) {
               sink.write(run.global, run.count,
                          shard.data() + run.local * size);
             });
  return status;
}

Status Gatherer::run(bool fromResults) {
  Status status;
  for (uint32_t rank = 0; rank < executor.plan->devices; ++rank) {
    const plan::ProgramT &program = executor.programOf(rank, entry);
    for (size_t i = 0; !fromResults && i < program.arguments.size(); ++i)
      if (status.ok())
        status = take(rank, *program.arguments[i]->tensor,
                      program.arguments[i]->buffer);
    for (size_t i = 0; fromResults && i < program.results.size(); ++i) {
      const plan::ResultT &result = *program.results[i];
      if (status.ok())
        status =
            take(rank, *result.tensor,
                 result.alias >= 0 ? program.arguments[result.alias]->buffer
                                   : result.buffer);
    }
  }
  return status;
}

} // namespace

Status Session::readResult(size_t entry, size_t index, ArraySink &sink) const {
  return Gatherer(*executor, entry, results(entry)[index]->tensor->index_name,
                  sink)
      .run(true);
}

Status Session::readArgument(size_t entry, size_t index,
                             ArraySink &sink) const {
  return Gatherer(*executor, entry, arguments(entry)[index]->tensor->index_name,
                  sink)
      .run(false);
}

Status Session::step(size_t entry) { return executor->runStep(entry); }

std::string Session::machineText() const { return executor->machineText(); }

SessionStats Session::stats() const { return executor->stats(); }

Status Session::checkCounts() const { return executor->checkCounts(); }

Status Session::writeTrace(const std::string &path) const {
  return executor->tracer.write(path, plan());
}

} // namespace partopt::rt
