//===- ProgramWalk.cpp - The order in which a program runs ----------------===//
//
// See ProgramWalk.h. Steps are made a few at a time: most instructions are one,
// the begin of a turn is several.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/ProgramWalk.h"

#include <algorithm>

namespace partopt::plan {

using Kind = WalkStep::Kind;

std::string turnText(const ProgramT &program, uint32_t turn) {
  const Turn &of = program.turns->turns[turn];
  return "turn " + std::to_string(turn) + " (loop " +
         std::to_string(of.loop()) + ", iteration " +
         std::to_string(of.iteration()) + ")";
}

static bool isKind(const OpUnion &op, CollectiveKind kind) {
  const auto *start = op.AsCollectiveStart();
  return start && start->kind == kind;
}

ProgramWalk::ProgramWalk(const ProgramT &program)
    : program(program), turns(program.turns.get()) {
  if (!turns)
    return;
  for (uint32_t i = turns->first; i <= turns->last; ++i) {
    const LoopBeginT &begin = *beginAt(i);
    scanLoop(begin, i);
    i = begin.end;
  }
  findOverwrites();
}

void ProgramWalk::scanLoop(const LoopBeginT &begin, uint32_t index) {
  if (turnLoops.size() <= begin.id)
    turnLoops.resize(begin.id + 1);
  TurnLoop &loop = turnLoops[begin.id];
  loop.begin = index;
  for (uint32_t i = index + 1; i < begin.end; ++i) {
    const OpUnion &op = program.instructions[i]->op;
    if (isKind(op, CollectiveKind::Recv))
      loop.receives.push_back(i);
    if (!isKind(op, CollectiveKind::Send))
      continue;
    sendAt[i] = sends.size();
    sends.push_back({i, sent.size()});
    for (uint32_t buffer : op.AsCollectiveStart()->operands)
      sent.push_back({sends.size() - 1, buffer,
                      std::vector<uint64_t>(
                          std::max(1u, program.buffers[buffer]->slots))});
  }
}

static void sortOnce(std::vector<uint32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void ProgramWalk::findOverwrites() {
  std::vector<std::vector<uint32_t>> sentOf(program.buffers.size());
  for (uint32_t i = 0; i < sent.size(); ++i)
    sentOf[sent[i].buffer].push_back(i);
  for (TurnLoop &loop : turnLoops) {
    const LoopBeginT *begin = beginAt(loop.begin);
    for (uint32_t i = loop.begin; begin && i <= begin->end; ++i) {
      const InstructionT &instruction = *program.instructions[i];
      std::vector<uint32_t> &list = isKind(instruction.op, CollectiveKind::Recv)
                                        ? loop.receivedOver
                                        : loop.overwrites;
      for (uint32_t buffer : instruction.writes)
        list.insert(list.end(), sentOf[buffer].begin(), sentOf[buffer].end());
    }
    sortOnce(loop.overwrites);
    sortOnce(loop.receivedOver);
  }
}

void ProgramWalk::push(Kind kind, uint32_t instruction) {
  WalkStep step;
  step.kind = kind;
  step.instruction = instruction;
  step.iteration = loops.empty() ? 0 : loops.back().iteration;
  step.turn = turn;
  step.slot = turn == WalkStep::none ? 0 : turns->turns[turn].iteration();
  pending.push_back(step);
}

bool ProgramWalk::next(WalkStep &step) {
  while (pending.empty())
    if (!advance())
      return false;
  step = pending.front();
  pending.pop_front();
  return true;
}

bool ProgramWalk::advance() {
  if (at >= program.instructions.size())
    return false;
  bool inTurn = turn != WalkStep::none;
  if (turns && !inTurn && at == turns->first) {
    enterTurns();
    return true;
  }
  const OpUnion &op = program.instructions[at]->op;
  if (op.AsLoopBegin() && (loops.empty() || loops.back().begin != at)) {
    loops.push_back({at, 0});
    push(Kind::Enter, at);
  }
  // A turn's receives were posted before it.
  if (!inTurn || !isKind(op, CollectiveKind::Recv))
    push(Kind::Run, at);
  if (inTurn && isKind(op, CollectiveKind::Send))
    noteSend(at);
  if (op.AsLoopEnd())
    endIteration();
  else
    ++at;
  return true;
}

void ProgramWalk::endIteration() {
  if (turn != WalkStep::none && loops.size() == 1)
    return endTurn();
  OpenLoop &loop = loops.back();
  if (++loop.iteration < beginAt(loop.begin)->trips) {
    at = loop.begin;
    return;
  }
  loops.pop_back();
  ++at;
}

void ProgramWalk::enterTurns() {
  for (uint32_t i = turns->first; i <= turns->last; i = beginAt(i)->end + 1)
    push(Kind::Enter, i);
  turn = posted = 0;
  beginTurn();
}

void ProgramWalk::beginTurn() {
  while (posted < turns->turns.size() && posted - turn <= turns->ahead)
    post(posted++);
  const Turn &of = turns->turns[turn];
  const TurnLoop &loop = turnLoops[of.loop()];
  for (uint32_t overwritten : loop.overwrites)
    awaitReaders(sent[overwritten], of.iteration());
  loops.assign(1, {loop.begin, of.iteration()});
  at = loop.begin;
}

void ProgramWalk::endTurn() {
  loops.clear();
  if (++turn < turns->turns.size())
    return beginTurn();
  --turn; // what is left belongs to the last turn
  for (size_t i = 0; i < sends.size(); ++i)
    await(i, sends[i].started);
  turn = WalkStep::none;
  at = turns->last + 1;
}

void ProgramWalk::post(uint32_t ofTurn) {
  const Turn &of = turns->turns[ofTurn];
  const TurnLoop &loop = turnLoops[of.loop()];
  for (uint32_t overwritten : loop.receivedOver)
    awaitReaders(sent[overwritten], of.iteration());
  for (uint32_t receive : loop.receives) {
    push(Kind::Post, receive);
    pending.back().turn = ofTurn;
    pending.back().iteration = pending.back().slot = of.iteration();
  }
}

void ProgramWalk::noteSend(uint32_t instruction) {
  Send &send = sends[sendAt.at(instruction)];
  ++send.started;
  uint32_t iteration = turns->turns[turn].iteration();
  size_t end = send.firstSent + program.instructions[instruction]
                                    ->op.AsCollectiveStart()
                                    ->operands.size();
  for (size_t i = send.firstSent; i < end; ++i)
    sent[i].lastRun[iteration % sent[i].lastRun.size()] = send.started;
}

void ProgramWalk::await(size_t index, uint64_t count) {
  Send &send = sends[index];
  if (count <= send.awaited)
    return;
  send.awaited = count;
  push(Kind::Await, send.instruction);
  pending.back().count = count;
}

void ProgramWalk::awaitReaders(const SentBuffer &buffer, uint32_t iteration) {
  await(buffer.send, buffer.lastRun[iteration % buffer.lastRun.size()]);
}

} // namespace partopt::plan
