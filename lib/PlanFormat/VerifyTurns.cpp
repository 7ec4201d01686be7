//===- VerifyTurns.cpp - Loops that run their iterations in turns ---------===//
//
// The table is walked once. Buffers that loops hand to each other are told
// apart only by who writes them, who reads them, and their slots, so a turn
// costs as many steps as there are such groups.
//
//===----------------------------------------------------------------------===//

#include "TurnBuffers.h"

#include "partopt/Plan/ProgramWalk.h"

namespace partopt::plan {

namespace {

class TurnChecker {
public:
  TurnChecker(const ProgramView &view, Problems &problems)
      : view(view), problems(problems), turns(*view.program.turns) {}
  /// The loops, their turns, and where messages are.
  void checkOrder();
  /// What the turns read and write.
  void checkBuffers();

private:
  void fail(const std::string &why) {
    problems.add(view.where() + ", loops of instructions [" +
                 std::to_string(turns.first) + ", " +
                 std::to_string(turns.last) + "]: " + why);
  }
  bool findLoops();
  bool checkTable();
  void checkMessages(const TurnLoop &loop);
  void checkEvents();
  void play(const TurnBuffers &buffers);
  bool receive(const TurnBuffers &buffers, size_t turn, size_t during);
  bool checkOverwrite(const Handover &handover, size_t turn, size_t during);
  bool checkRead(const Handover &handover, size_t turn);
  std::string turnText(size_t turn) const {
    return plan::turnText(view.program, static_cast<uint32_t>(turn));
  }
  std::string loopText(size_t loop) const {
    return "loop " + std::to_string(loops[loop].begin->id);
  }

  const ProgramView &view;
  Problems &problems;
  const InterleaveT &turns;
  std::vector<TurnLoop> loops;
  std::map<uint32_t, size_t> loopOfId;
  std::vector<uint32_t> done; // by loop: iterations that have run
};

/// The range is loops, one behind the other, none inside of another.
bool TurnChecker::findLoops() {
  const auto &instructions = view.program.instructions;
  auto begins = [&](uint32_t index) {
    return instructions[index]->op.AsLoopBegin();
  };
  if (turns.first > turns.last || turns.last >= instructions.size()) {
    fail("the program has " + std::to_string(instructions.size()) +
         " instructions");
    return false;
  }
  uint32_t at = 0;
  while (at < turns.first)
    at = begins(at) ? begins(at)->end + 1 : at + 1;
  bool isWhole = at == turns.first;
  while (isWhole && at <= turns.last && begins(at)) {
    loopOfId[begins(at)->id] = loops.size();
    loops.push_back({begins(at), at});
    at = begins(at)->end + 1;
  }
  isWhole &= at == turns.last + 1;
  if (!isWhole)
    fail("they are not whole loops, outermost and one behind the other");
  return isWhole;
}

/// Every iteration once, those of a loop in order.
bool TurnChecker::checkTable() {
  std::vector<uint32_t> next(loops.size());
  for (size_t i = 0; i < turns.turns.size(); ++i) {
    const Turn &turn = turns.turns[i];
    auto loop = loopOfId.find(turn.loop());
    if (loop == loopOfId.end()) {
      fail(turnText(i) + " is of none of them");
      return false;
    }
    if (turn.iteration() != next[loop->second]) {
      fail(turnText(i) + " comes where the loop's iteration " +
           std::to_string(next[loop->second]) + " is next");
      return false;
    }
    ++next[loop->second];
  }
  bool isWhole = true;
  for (size_t i = 0; i < loops.size(); ++i)
    if (next[i] != loops[i].begin->trips) {
      fail(loopText(i) + " has " + std::to_string(next[i]) + " turns for " +
           std::to_string(loops[i].begin->trips) + " iterations");
      isWhole = false;
    }
  return isWhole;
}

/// Receives are first in a body; no message is inside of an inner loop.
void TurnChecker::checkMessages(const TurnLoop &loop) {
  bool isFirst = true;
  unsigned depth = 0;
  for (uint32_t i = loop.index + 1; i < loop.begin->end; ++i) {
    const OpUnion &op = view.program.instructions[i]->op;
    depth += op.AsLoopBegin() != nullptr;
    depth -= op.AsLoopEnd() != nullptr;
    const auto *start = op.AsCollectiveStart();
    bool receives = start && start->kind == CollectiveKind::Recv;
    if (receives && !isFirst)
      problems.add(view.at(i) +
                   ": a recv of interleaved loops comes behind its "
                   "loop's begin, with other recvs alone in "
                   "between");
    else if (start && isMessage(*start) && depth > 0)
      problems.add(view.at(i) + ": a message of interleaved loops cannot be "
                                "inside of an inner loop");
    isFirst &= receives;
  }
}

/// What a turn starts may be under way in turns of other loops.
void TurnChecker::checkEvents() {
  const auto &instructions = view.program.instructions;
  std::map<uint32_t, uint32_t> startOf; // by event
  auto isInTurns = [&](uint32_t index) {
    return index >= turns.first && index <= turns.last;
  };
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto *start = instructions[i]->op.AsCollectiveStart();
    if (!start)
      continue;
    auto [other, isNew] = startOf.insert({start->event, i});
    if (!isNew && (isInTurns(i) || isInTurns(other->second)))
      problems.add(view.at(i) + ": event " + std::to_string(start->event) +
                   " is that of instruction " + std::to_string(other->second) +
                   ", and one of them is started in turns");
  }
}

/// The slot that the turn's iteration writes is free: who read the iteration
/// that had it before is done at the begin of turn `during`.
bool TurnChecker::checkOverwrite(const Handover &handover, size_t turn,
                                 size_t during) {
  uint32_t iteration = turns.turns[turn].iteration();
  if (iteration < handover.slots)
    return true;
  uint32_t held = iteration - handover.slots;
  for (size_t reader : handover.readers) {
    if (done[reader] > held)
      continue;
    fail((handover.isReceived
              ? turnText(during) + " starts to receive for " + turnText(turn)
              : turnText(turn) + " writes") +
         " buffer " + std::to_string(handover.buffer) + ", slot " +
         std::to_string(iteration % handover.slots) + " of " +
         std::to_string(handover.slots) + ", before " + loopText(reader) +
         " has read its iteration " + std::to_string(held) + " there");
    return false;
  }
  return true;
}

bool TurnChecker::checkRead(const Handover &handover, size_t turn) {
  uint32_t iteration = turns.turns[turn].iteration();
  if (done[handover.writer] > iteration)
    return true;
  fail(turnText(turn) + " reads buffer " + std::to_string(handover.buffer) +
       " before " + loopText(handover.writer) +
       " has made it in its iteration " + std::to_string(iteration));
  return false;
}

/// Starts the receives of `turn` at the begin of turn `during`.
bool TurnChecker::receive(const TurnBuffers &buffers, size_t turn,
                          size_t during) {
  size_t loop = loopOfId[turns.turns[turn].loop()];
  for (const Handover *handover : buffers.writtenBy(loop))
    if (handover->isReceived && !checkOverwrite(*handover, turn, during))
      return false;
  return true;
}

void TurnChecker::play(const TurnBuffers &buffers) {
  done.assign(loops.size(), 0);
  size_t posted = 0;
  for (size_t turn = 0; turn < turns.turns.size(); ++turn) {
    for (; posted < turns.turns.size() && posted - turn <= turns.ahead;
         ++posted)
      if (!receive(buffers, posted, turn))
        return;
    size_t loop = loopOfId[turns.turns[turn].loop()];
    for (const Handover *handover : buffers.readBy(loop))
      if (!checkRead(*handover, turn))
        return;
    for (const Handover *handover : buffers.writtenBy(loop))
      if (!handover->isReceived && !checkOverwrite(*handover, turn, turn))
        return;
    ++done[loop];
  }
}

void TurnChecker::checkOrder() {
  if (!findLoops() || !checkTable())
    return;
  for (const TurnLoop &loop : loops)
    checkMessages(loop);
  checkEvents();
}

void TurnChecker::checkBuffers() {
  size_t before = problems.size();
  findLoops();
  TurnBuffers buffers(view, loops);
  buffers.verify(problems);
  if (problems.size() == before)
    play(buffers);
}

} // namespace

/// Slots are chosen by turns, so nothing else may use a buffer that has
/// several.
static void verifySlots(const ProgramView &view, Problems &problems) {
  const ProgramT &program = view.program;
  auto refuse = [&](uint32_t buffer, const std::string &place) {
    if (program.buffers[buffer]->slots != 1)
      problems.add(
          place + ": buffer " + std::to_string(buffer) + " has " +
          std::to_string(program.buffers[buffer]->slots) +
          " slots, which only turns of interleaved loops choose among");
  };
  for (const auto &argument : program.arguments)
    refuse(argument->buffer, view.where());
  for (const auto &result : program.results)
    refuse(result->buffer, view.where());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    if (program.turns && i >= program.turns->first && i <= program.turns->last)
      continue;
    for (uint32_t buffer : program.instructions[i]->reads)
      refuse(buffer, view.at(i));
    for (uint32_t buffer : program.instructions[i]->writes)
      refuse(buffer, view.at(i));
  }
}

void verifyTurnOrder(const ProgramView &view, Problems &problems) {
  if (view.program.turns)
    TurnChecker(view, problems).checkOrder();
}

void verifyTurnBuffers(const ProgramView &view, Problems &problems) {
  verifySlots(view, problems);
  if (view.program.turns)
    TurnChecker(view, problems).checkBuffers();
}

} // namespace partopt::plan
