//===- RankSimulation.cpp - A rank along its program ----------------------===//
//
// See RankSimulation.h.
//
//===----------------------------------------------------------------------===//

#include "RankSimulation.h"

#include "partopt/Simulate/Work.h"

#include <algorithm>

namespace partopt::simulate {

RankSimulation::RankSimulation(const plan::PlanT &plan,
                               const plan::ProgramT &program,
                               const Machine &machine, plan::Peers *peers,
                               size_t classIndex, Timeline *timeline)
    : mesh(plan), program(program), machine(machine),
      streams(program.num_streams), eventFlow(program.num_events),
      eventStart(program.num_events), peers(peers), classIndex(classIndex),
      timeline(timeline), linkFree(machine.links.size()) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const plan::OpUnion &op = program.instructions[i]->op;
    if (const auto *begin = op.AsLoopBegin())
      loopAt[begin->id] = i;
    if (!op.AsCollectiveStart())
      continue;
    recordAt[i] = static_cast<uint32_t>(result.collectives.size());
    result.collectives.push_back({static_cast<uint32_t>(i)});
  }
  isRecorded.resize(result.collectives.size());
  boundsTurns.resize(program.instructions.size());
  for (size_t i = program.turns ? program.turns->first : 1;
       program.turns && i <= program.turns->last; ++i) {
    boundsTurns[i] = true;
    i = program.instructions[i]->op.AsLoopBegin()->end;
    boundsTurns[i] = true;
  }
}

/// All loops' first values are copied, and the first turn begins.
void RankSimulation::enterTurns() {
  for (size_t i = program.turns->first; i <= program.turns->last; ++i)
    if (boundsTurns[i] &&
        program.instructions[i]->op.type == plan::Op::LoopBegin) {
      double begin = now;
      compute(loopWork(program, *program.instructions[i]));
      note(i, begin);
    }
  hasEntered = true;
  at = turnBegin();
}

uint32_t RankSimulation::currentTurn() const {
  return program.turns && hasEntered && turn < program.turns->turns.size()
             ? static_cast<uint32_t>(turn)
             : plan::WalkStep::none;
}

void RankSimulation::note(size_t index, double begin) {
  if (timeline)
    timeline->steps.push_back(
        {static_cast<uint32_t>(index), currentTurn(), begin, now});
}

void RankSimulation::compute(const Work &work) {
  double seconds = machine.seconds(work);
  now += seconds;
  result.compute += seconds;
}

/// Puts the collective of `record` on its stream, now.
size_t RankSimulation::launchFlow(uint32_t record) {
  advance(now);
  const auto &op =
      *program.instructions[result.collectives[record].instruction]
           ->op.AsCollectiveStart();
  Flow flow;
  flow.record = record;
  flow.runs = messagesOf(op, mesh.groupSize(op.axes));
  flow.ready = now;
  flow.isMessage = op.kind == plan::CollectiveKind::Send;
  flow.stream = op.stream;
  flow.link = slowestAxis(machine.links, op.axes);
  flow.start = now;
  flow.turn = currentTurn();
  flows.push_back(std::move(flow));
  streams[op.stream].push_back(flows.size() - 1);
  return flows.size() - 1;
}

void RankSimulation::start(size_t index, const plan::CollectiveStartT &op) {
  uint32_t record = recordAt[index];
  eventFlow[op.event] = record;
  if (machine.overlap == Overlap::Late)
    return;
  eventFlow[op.event] = launchFlow(record);
  if (machine.overlap == Overlap::Off)
    wait(eventFlow[op.event]);
}

/// A message goes on its link at once, and holds nobody up.
void RankSimulation::send(size_t index, const plan::CollectiveStartT &op,
                          Arrivals &arrivals) {
  Flow &flow = flows[launchFlow(recordAt[index])];
  advanceTo(flow);
  if (peers)
    arrivals[peers->channel(classIndex, op)].push_back({flow.start, flow.end});
}

bool RankSimulation::isThere(const plan::CollectiveStartT &op,
                             const Arrivals &arrivals) {
  if (!peers)
    return true;
  auto messages = arrivals.find(peers->channel(classIndex, op));
  return messages != arrivals.end() &&
         messages->second.size() > taken[messages->first];
}

void RankSimulation::receive(size_t index, const plan::CollectiveStartT &op,
                             Arrivals &arrivals) {
  if (!peers)
    return;
  plan::Channel channel = peers->channel(classIndex, op);
  size_t number = taken[channel]++;
  const Arrival &message = arrivals[channel][number];
  double arrival = message.there;
  double exposed = std::max(0.0, arrival - now);
  CollectiveTime &time = result.collectives[recordAt[index]];
  if (number == 0)
    time.start = time.end = arrival;
  if (timeline)
    timeline->transfers.push_back({static_cast<uint32_t>(index), currentTurn(),
                                   message.sent, message.there});
  time.exposed += exposed;
  result.exposed += exposed;
  now += exposed;
}

/// Waits for the flow. Where its thread had no core of its own, what it did
/// beside kernels has held these up.
void RankSimulation::wait(size_t number) {
  Flow &flow = flows[number];
  advanceTo(flow);
  if (flow.isSettled)
    return;
  flow.isSettled = true;
  double beside = std::max(0.0, std::min(now, flow.end) - flow.start);
  double delay = beside * machine.stolen();
  now += delay;
  double exposed = std::max(0.0, flow.end + delay - now);
  result.collectives[flow.record].exposed += exposed;
  result.exposed += exposed;
  now += exposed;
}

void RankSimulation::beginLoop() {
  loops.push_back({now, result.compute, result.exposed});
}

/// The iterations that were not simulated are like the one that was.
void RankSimulation::endLoop(size_t begin, size_t end) {
  uint32_t trips = program.instructions[begin]->op.AsLoopBegin()->trips;
  double more = static_cast<double>(trips) - 1;
  OpenLoop loop = loops.back();
  loops.pop_back();
  now += more * (now - loop.time);
  result.compute += more * (result.compute - loop.compute);
  result.exposed += more * (result.exposed - loop.exposed);
  for (size_t i = begin; i < end; ++i)
    if (auto record = recordAt.find(i); record != recordAt.end())
      result.collectives[record->second].exposed *= trips;
}

size_t RankSimulation::turnBegin() const {
  return loopAt.at(program.turns->turns[turn].loop());
}

void RankSimulation::instruction(size_t index, Arrivals &arrivals) {
  const plan::InstructionT &instruction = *program.instructions[index];
  compute(workOf(program, instruction));
  const auto *end = instruction.op.AsLoopEnd();
  bool isBegin = instruction.op.type == plan::Op::LoopBegin;
  if (!isBegin || !boundsTurns[index])
    compute(loopWork(program, instruction));
  if (const auto *op = instruction.op.AsCollectiveStart()) {
    eventStart[op->event] = static_cast<uint32_t>(index);
    if (op->kind == plan::CollectiveKind::Send)
      send(index, *op, arrivals);
    else if (op->kind != plan::CollectiveKind::Recv)
      start(index, *op);
  } else if (const auto *event = instruction.op.AsWait()) {
    uint32_t started = eventStart[event->event];
    const auto &op = *program.instructions[started]->op.AsCollectiveStart();
    if (op.kind == plan::CollectiveKind::Recv)
      return receive(started, op, arrivals);
    if (op.kind == plan::CollectiveKind::Send)
      return;
    if (machine.overlap == Overlap::Late)
      eventFlow[event->event] =
          launchFlow(static_cast<uint32_t>(eventFlow[event->event]));
    wait(eventFlow[event->event]);
  } else if (isBegin && !boundsTurns[index]) {
    beginLoop();
  } else if (end && !boundsTurns[index]) {
    endLoop(end->begin, index);
  }
}

/// The instruction behind `index`: the next turn's where it ends one.
size_t RankSimulation::after(size_t index) {
  bool endsTurn =
      program.instructions[index]->op.AsLoopEnd() && boundsTurns[index];
  if (!endsTurn)
    return index + 1;
  return ++turn < program.turns->turns.size() ? turnBegin()
                                              : program.turns->last + 1;
}

bool RankSimulation::run(Arrivals &arrivals) {
  bool moved = false;
  size_t size = program.instructions.size();
  while (at < size) {
    if (const auto *wait = program.instructions[at]->op.AsWait()) {
      const auto &op = *program.instructions[eventStart[wait->event]]
                            ->op.AsCollectiveStart();
      if (op.kind == plan::CollectiveKind::Recv && !isThere(op, arrivals))
        return moved;
    }
    if (program.turns && at == program.turns->first && !hasEntered)
      enterTurns();
    double begin = now;
    instruction(at, arrivals);
    note(at, begin);
    at = after(at);
    moved = true;
  }
  if (!isOver) {
    double begin = now;
    compute(feedBackWork(program));
    note(size, begin);
    result.step = now;
  }
  isOver = true;
  return moved;
}

} // namespace partopt::simulate
