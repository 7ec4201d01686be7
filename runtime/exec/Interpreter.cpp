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

Status World::runProgram(Rank &rank, size_t entry) {
  RankProgram &program = rank.programs[entry];
  MemoryMeter &meter = rank.meters[entry];
  StashMeter &stash = rank.stashes[entry];
  rank.exposedSeconds = 0;
  rank.awaited.clear();
  rank.clock.begin(!options.machine.device.empty());
  plan::ProgramWalk walk(*program.program);
  for (plan::WalkStep step; walk.next(step);) {
    progress.at(rank.number, step.instruction, step.turn);
    stash.at(step);
    Status status = runStep(rank, program, meter, step);
    if (abort.raised())
      return abort.status();
    if (!status.ok())
      return Status(status.code(),
                    "rank " + std::to_string(rank.number) + " failed at step " +
                        std::to_string(progress.step()) + ", " +
                        instructionText(*plan, *program.program,
                                        step.instruction, step.turn) +
                        ": " + status.message());
  }
  meter.finish();
  stash.finish();
  return finishProgram(rank, program);
}

Status World::runStep(Rank &rank, RankProgram &program, MemoryMeter &meter,
                      const plan::WalkStep &step) {
  using Kind = plan::WalkStep::Kind;
  const ResolvedInstruction &instruction =
      program.instructions[step.instruction];
  if (step.kind == Kind::Await)
    return awaitSends(rank, *instruction.collective->call.op, step);
  if (step.kind != Kind::Enter)
    if (Status status = provoke(rank, step.instruction); !status.ok())
      return status;
  if (step.kind == Kind::Post)
    return startCollective(rank, instruction, step);
  meter.begin(step.instruction);
  Status status = runInstruction(rank, program, step);
  if (step.kind == Kind::Run)
    meter.end(step.instruction);
  return status;
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

/// Enters a loop, begins an iteration of it, or ends one.
Status World::boundLoop(Rank &rank, const ResolvedInstruction &instruction,
                        const plan::WalkStep &step) {
  bool isBegin = instruction.source->op.type == plan::Op::LoopBegin;
  if (isBegin && step.kind != plan::WalkStep::Kind::Enter)
    return rank.device->upload(instruction.copy.target, &step.iteration,
                               sizeof(step.iteration));
  for (const MemoryCopy &copy : instruction.carried)
    rank.device->copy(copy.target, copy.source, copy.bytes);
  return Status();
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
Status World::wait(Rank &rank, const plan::WaitT &wait,
                   const plan::WalkStep &step) {
  rank.clock.settle(abort);
  if (const ResolvedCollective *late = rank.postponed[wait.event])
    runExposed(rank, {late, step.turn, step.slot});
  auto blocked = Clock::now();
  if (!rank.events.wait(wait.event, abort))
    return abort.status();
  rank.exposedSeconds +=
      std::chrono::duration<double>(Clock::now() - blocked).count();
  rank.clock.idle();
  return Status();
}

/// Blocks until the first `step.count` runs of the Send in these turns are
/// over. The device goes on meanwhile.
Status World::awaitSends(Rank &rank, const plan::CollectiveStartT &send,
                         const plan::WalkStep &step) {
  auto blocked = Clock::now();
  for (uint64_t &taken = rank.awaited[step.instruction]; taken < step.count;
       ++taken)
    if (!rank.events.wait(send.event, abort))
      return abort.status();
  if (!rank.clock.on())
    rank.exposedSeconds +=
        std::chrono::duration<double>(Clock::now() - blocked).count();
  return Status();
}

Status World::runInstruction(Rank &rank, RankProgram &program,
                             const plan::WalkStep &step) {
  ResolvedInstruction &instruction = program.instructions[step.instruction];
  const plan::OpUnion &op = instruction.source->op;
  if (op.type == plan::Op::CollectiveStart)
    return startCollective(rank, instruction, step);
  chooseSlots(instruction, *program.program, rank.memory, step.slot);
  auto begin = rank.clock.on() ? rank.clock.end() : tracer.now();
  Status status;
  if (op.type == plan::Op::AxisIndex)
    status =
        rank.device->upload(instruction.copy.target, &instruction.axisIndex,
                            sizeof(instruction.axisIndex));
  else if (op.type == plan::Op::LoopBegin || op.type == plan::Op::LoopEnd)
    status = boundLoop(rank, instruction, step);
  else if (const auto *event = op.AsWait())
    status = wait(rank, *event, step);
  else
    status = compute(rank, instruction);
  // A loop's first values are copied once.
  if (op.type != plan::Op::LoopBegin ||
      step.kind == plan::WalkStep::Kind::Enter)
    rank.clock.spend(instruction.modelledSeconds);
  tracer.record(rank.number, 0, begin,
                rank.clock.on() ? rank.clock.end() : tracer.now(),
                *instruction.source,
                {step.instruction, progress.step(), step.turn, step.slot, 0});
  return status;
}

/// A send never waits where it starts, nor starts later: its receiver may need
/// this rank to go on. So `off` and `late` start receives where they are waited
/// for.
Status World::startCollective(Rank &rank,
                              const ResolvedInstruction &instruction,
                              const plan::WalkStep &step) {
  const ResolvedCollective &collective = *instruction.collective;
  const plan::CollectiveStartT &op = *collective.call.op;
  bool sends = op.kind == plan::CollectiveKind::Send;
  bool receives = op.kind == plan::CollectiveKind::Recv;
  // The operands must be complete before another thread sends them.
  Status status = rank.device->synchronize();
  if (!status.ok())
    return status;
  if (!receives)
    rank.clock.settle(abort);
  Overlap overlap = options.machine.overlap;
  bool isPostponed = (overlap == Overlap::Late && !sends) ||
                     (overlap == Overlap::Off && receives);
  rank.postponed[op.event] = isPostponed ? &collective : nullptr;
  if (isPostponed)
    return Status();
  CollectiveRun run{&collective, step.turn, step.slot};
  bool waitsAtOnce =
      collective.waitsAtOnce && step.kind == plan::WalkStep::Kind::Run;
  if (!sends && (waitsAtOnce || overlap == Overlap::Off))
    if (runExposed(rank, run))
      return Status();
  rank.streams[op.stream]->start(run);
  return Status();
}

/// Runs the collective on the rank's own thread; false when its stream is busy.
bool World::runExposed(Rank &rank, const CollectiveRun &run) {
  auto blocked = Clock::now();
  if (!rank.streams[run.collective->call.op->stream]->runHere(run))
    return false;
  rank.exposedSeconds +=
      std::chrono::duration<double>(Clock::now() - blocked).count();
  rank.clock.idle();
  return true;
}

/// Runs on the thread that has the stream.
bool World::communicate(Rank &rank, uint16_t stream, const CollectiveRun &run) {
  const ResolvedCollective &collective = *run.collective;
  const plan::CollectiveStartT &op = *collective.call.op;
  if (abort.raised())
    return false;
  progress.communicates(rank.number, stream, collective.index);
  Channel &channel = transport->channel(rank.number, stream);
  channel.setDeadline(Clock::now() + options.collectiveTimeout);
  channel.setLink(simulate::slowestAxis(links, op.axes));
  auto begin = tracer.now();
  const plan::ProgramT &program = progress.programOf(rank.number);
  Status status =
      collective.hasSlots
          ? runCollective(
                channel, callInSlot(collective, program, rank.memory, run.slot))
          : runCollective(channel, collective.call);
  tracer.record(rank.number, static_cast<uint16_t>(1 + stream), begin,
                tracer.now(), *collective.instruction,
                {collective.index, progress.step(), run.turn, run.slot,
                 collective.payloadBytes});
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
                   instructionText(*plan, program, collective.index, run.turn) +
                   ": " + status.message() + " (time limit " +
                   std::to_string(options.collectiveTimeout.count()) +
                   " ms). Where every rank stands:" + progress.describe()));
  return false;
}

} // namespace partopt::rt
