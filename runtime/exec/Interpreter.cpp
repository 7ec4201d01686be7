//===- Interpreter.cpp - A rank's walk through its program ----------------===//
//
// Executes resolved instructions in order. Collectives go to the rank's
// streams; a failure anywhere becomes one message that names rank, step,
// instruction and source location, and stops every rank.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/World.h"

#include "partopt/Plan/CollectiveBytes.h"

namespace partopt::rt {

using Clock = std::chrono::steady_clock;

Status World::runProgram(Rank &rank, const RankProgram &program,
                         MemoryMeter &meter) {
  rank.exposedSeconds = 0;
  rank.clock.begin(!options.machine.device.empty());
  LoopState loop;
  for (size_t i = 0; i < program.instructions.size();
       i = loop.next(program, i)) {
    progress.at(rank.number, static_cast<uint32_t>(i));
    meter.begin(static_cast<uint32_t>(i));
    Status status = provoke(rank, i);
    if (status.ok())
      status = runInstruction(rank, program, i, loop.iteration(program, i));
    if (abort.raised())
      return abort.status();
    if (!status.ok())
      return Status(status.code(),
                    "rank " + std::to_string(rank.number) + " failed at step " +
                        std::to_string(progress.step()) + ", " +
                        instructionText(*plan, *program.program,
                                        static_cast<uint32_t>(i)) +
                        ": " + status.message());
    meter.end(static_cast<uint32_t>(i));
  }
  return finishProgram(rank, program);
}

/// Ends the step's compute, and lets results take their arguments.
Status World::finishProgram(Rank &rank, const RankProgram &program) {
  Status status = rank.device->synchronize();
  if (!status.ok())
    return status;
  for (const MemoryCopy &copy : program.feedBack)
    rank.device->copy(copy.target, copy.source, copy.bytes);
  rank.clock.spend(program.feedBackSeconds);
  status = rank.device->synchronize();
  rank.clock.settle(abort);
  return abort.raised() ? abort.status() : status;
}

static bool isBegin(const RankProgram &program, size_t index) {
  return program.instructions[index].source->op.type == plan::Op::LoopBegin;
}

int32_t World::LoopState::iteration(const RankProgram &program,
                                    size_t index) const {
  bool isNew =
      open.empty() || (isBegin(program, index) && open.back().begin != index);
  return isNew ? 0 : open.back().iteration;
}

/// Back to where the loop began, while it goes on.
size_t World::LoopState::next(const RankProgram &program, size_t index) {
  const plan::OpUnion &op = program.instructions[index].source->op;
  if (isBegin(program, index) && (open.empty() || open.back().begin != index))
    open.push_back({index, 0});
  if (op.type != plan::Op::LoopEnd)
    return index + 1;
  Open &loop = open.back();
  const auto *begin = program.instructions[loop.begin].source->op.AsLoopBegin();
  if (uint32_t(++loop.iteration) < begin->trips)
    return loop.begin;
  open.pop_back();
  return index + 1;
}

/// Begins iteration `iteration`, or ends it. A loop is walked through its
/// LoopBegin once per iteration.
void World::boundLoop(Rank &rank, const ResolvedInstruction &instruction,
                      int32_t iteration) {
  bool isBegin = instruction.source->op.type == plan::Op::LoopBegin;
  if (!isBegin || iteration == 0)
    for (const MemoryCopy &copy : instruction.carried)
      rank.device->copy(copy.target, copy.source, copy.bytes);
  if (isBegin)
    rank.device->upload(instruction.copy.target, &iteration, sizeof(iteration));
}

Status World::provoke(const Rank &rank, size_t index) {
  for (const Fault &fault : options.faults) {
    if (fault.rank != rank.number || fault.instruction != index)
      continue;
    switch (fault.kind) {
    case Fault::Kind::Throw:
      return Status::rankFailed("provoked fault");
    case Fault::Kind::Slow:
      abort.sleep(std::chrono::milliseconds(fault.milliseconds));
      break;
    case Fault::Kind::Stall:
      while (!abort.sleep(std::chrono::hours(1)))
        ;
      break;
    }
  }
  return Status();
}

/// Runs a kernel, a product or a copy.
Status World::compute(Rank &rank,
                      const ResolvedInstruction &instruction) const {
  const plan::OpUnion &op = instruction.source->op;
  if (options.machine.skipKernels)
    return Status();
  if (const auto *launch = op.AsLaunch())
    return rank.device->launch(*rank.kernels, launch->kernel,
                               const_cast<void **>(instruction.args.data()));
  if (op.type == plan::Op::Gemm)
    return rank.device->gemm(instruction.gemm);
  const MemoryCopy &copy = instruction.copy;
  rank.device->copy(copy.target, copy.source, copy.bytes);
  return Status();
}

/// Blocks until the event is there. What the device does meanwhile is not
/// exposed, so a modelled one is waited for first.
Status World::wait(Rank &rank, const plan::WaitT &wait) {
  rank.clock.settle(abort);
  if (options.machine.overlap == Overlap::Late)
    runExposed(rank, *rank.postponed[wait.event]);
  auto blocked = Clock::now();
  if (!rank.events.wait(wait.event, abort))
    return abort.status();
  rank.exposedSeconds +=
      std::chrono::duration<double>(Clock::now() - blocked).count();
  rank.clock.idle();
  return Status();
}

Status World::runInstruction(Rank &rank, const RankProgram &program,
                             size_t index, int32_t iteration) {
  const ResolvedInstruction &instruction = program.instructions[index];
  const plan::OpUnion &op = instruction.source->op;
  if (op.type == plan::Op::CollectiveStart)
    return startCollective(rank, instruction);
  auto begin = rank.clock.on() ? rank.clock.end() : tracer.now();
  Status status;
  if (op.type == plan::Op::AxisIndex)
    rank.device->upload(instruction.copy.target, &instruction.axisIndex,
                        sizeof(instruction.axisIndex));
  else if (op.type == plan::Op::LoopBegin || op.type == plan::Op::LoopEnd)
    boundLoop(rank, instruction, iteration);
  else if (const auto *event = op.AsWait())
    status = wait(rank, *event);
  else
    status = compute(rank, instruction);
  // The first iteration's values are copied once.
  if (op.type != plan::Op::LoopBegin || iteration == 0)
    rank.clock.spend(instruction.modelledSeconds);
  tracer.record(
      rank.number, 0, begin, rank.clock.on() ? rank.clock.end() : tracer.now(),
      *instruction.source, static_cast<uint32_t>(index), progress.step(), 0);
  return status;
}

Status World::startCollective(Rank &rank,
                              const ResolvedInstruction &instruction) {
  // The operands must be complete before another thread sends them.
  Status status = rank.device->synchronize();
  if (!status.ok())
    return status;
  rank.clock.settle(abort);
  const ResolvedCollective &collective = *instruction.collective;
  if (options.machine.overlap == Overlap::Late) {
    rank.postponed[collective.call.op->event] = &collective;
    return Status();
  }
  if (collective.waitsAtOnce || options.machine.overlap == Overlap::Off)
    if (runExposed(rank, collective))
      return Status();
  rank.streams[collective.call.op->stream]->start(collective);
  return Status();
}

/// Runs the collective on the rank's own thread; false when its stream is busy.
bool World::runExposed(Rank &rank, const ResolvedCollective &collective) {
  auto blocked = Clock::now();
  if (!rank.streams[collective.call.op->stream]->runHere(collective))
    return false;
  rank.exposedSeconds +=
      std::chrono::duration<double>(Clock::now() - blocked).count();
  rank.clock.idle();
  return true;
}

/// Runs on the thread that has the stream.
bool World::communicate(Rank &rank, uint16_t stream,
                        const ResolvedCollective &collective) {
  const plan::CollectiveStartT &op = *collective.call.op;
  if (abort.raised())
    return false;
  progress.communicates(rank.number, stream, collective.index);
  Channel &channel = transport->channel(rank.number, stream);
  channel.setDeadline(Clock::now() + options.collectiveTimeout);
  channel.setLink(simulate::slowestAxis(links, op.axes));
  auto begin = tracer.now();
  Status status = runCollective(channel, collective.call);
  tracer.record(rank.number, static_cast<uint16_t>(1 + stream), begin,
                tracer.now(), *collective.instruction, collective.index,
                progress.step(), collective.payloadBytes);
  if (status.ok()) {
    rank.completed[static_cast<size_t>(op.kind)].fetch_add(1);
    progress.communicates(rank.number, stream, Progress::none);
    return true;
  }
  if (!abort.raised())
    abort.raise(
        Status(status.code(),
               std::string(plan::collectiveName(op.kind)) + " " +
                   std::to_string(op.id) + " over " + mesh.axesText(op.axes) +
                   " failed on rank " + std::to_string(rank.number) +
                   " at step " + std::to_string(progress.step()) + ", " +
                   instructionText(*plan, progress.programOf(rank.number),
                                   collective.index) +
                   ": " + status.message() + " (time limit " +
                   std::to_string(options.collectiveTimeout.count()) +
                   " ms). Where every rank stands:" + progress.describe()));
  return false;
}

} // namespace partopt::rt
