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

Status World::runProgram(Rank &rank, const RankProgram &program) {
  rank.exposedSeconds = 0;
  LoopState loop;
  for (size_t i = 0; i < program.instructions.size();
       i = loop.next(program, i)) {
    progress.at(rank.number, static_cast<uint32_t>(i));
    Status status = provoke(rank, i);
    if (status.ok())
      status = runInstruction(rank, program, i, loop.iteration);
    if (abort.raised())
      return abort.status();
    if (!status.ok())
      return Status(status.code(),
                    "rank " + std::to_string(rank.number) + " failed at step " +
                        std::to_string(progress.step()) + ", " +
                        instructionText(*plan, *program.program,
                                        static_cast<uint32_t>(i)) +
                        ": " + status.message());
  }
  Status status = rank.device->synchronize();
  if (!status.ok())
    return status;
  for (const MemoryCopy &copy : program.feedBack)
    rank.device->copy(copy.target, copy.source, copy.bytes);
  return rank.device->synchronize();
}

/// Where the loop that is running begins, and how far it is.
size_t World::LoopState::next(const RankProgram &program, size_t index) {
  const plan::OpUnion &op = program.instructions[index].source->op;
  if (op.type == plan::Op::LoopBegin && iteration == 0)
    begin = index;
  if (op.type != plan::Op::LoopEnd)
    return index + 1;
  const auto *loop = program.instructions[begin].source->op.AsLoopBegin();
  if (uint32_t(++iteration) < loop->trips)
    return begin;
  iteration = 0;
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

Status World::runInstruction(Rank &rank, const RankProgram &program,
                             size_t index, int32_t iteration) {
  const ResolvedInstruction &instruction = program.instructions[index];
  const plan::OpUnion &op = instruction.source->op;
  if (op.type == plan::Op::CollectiveStart)
    return startCollective(rank, instruction);
  auto begin = tracer.now();
  Status status;
  if (const auto *launch = op.AsLaunch()) {
    status = rank.device->launch(*rank.kernels, launch->kernel,
                                 const_cast<void **>(instruction.args.data()));
  } else if (op.type == plan::Op::Gemm) {
    status = rank.device->gemm(instruction.gemm);
  } else if (op.type == plan::Op::Copy) {
    const MemoryCopy &copy = instruction.copy;
    rank.device->copy(copy.target, copy.source, copy.bytes);
  } else if (op.type == plan::Op::AxisIndex) {
    rank.device->upload(instruction.copy.target, &instruction.axisIndex,
                        sizeof(instruction.axisIndex));
  } else if (op.type == plan::Op::LoopBegin || op.type == plan::Op::LoopEnd) {
    boundLoop(rank, instruction, iteration);
  } else if (const auto *wait = op.AsWait()) {
    auto blocked = Clock::now();
    if (!rank.events.wait(wait->event, abort))
      return abort.status();
    rank.exposedSeconds +=
        std::chrono::duration<double>(Clock::now() - blocked).count();
  }
  tracer.record(rank.number, 0, begin, *instruction.source,
                static_cast<uint32_t>(index), progress.step(), 0);
  return status;
}

Status World::startCollective(Rank &rank,
                              const ResolvedInstruction &instruction) {
  // The operands must be complete before another thread sends them.
  Status status = rank.device->synchronize();
  if (!status.ok())
    return status;
  const ResolvedCollective &collective = *instruction.collective;
  CommStream &stream = *rank.streams[collective.call.op->stream];
  if (collective.waitsAtOnce) {
    auto blocked = Clock::now();
    if (stream.runHere(collective)) {
      rank.exposedSeconds +=
          std::chrono::duration<double>(Clock::now() - blocked).count();
      return Status();
    }
  }
  stream.start(collective);
  return Status();
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
  auto begin = tracer.now();
  Status status = runCollective(channel, collective.call);
  tracer.record(rank.number, static_cast<uint16_t>(1 + stream), begin,
                *collective.instruction, collective.index, progress.step(),
                collective.payloadBytes);
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
