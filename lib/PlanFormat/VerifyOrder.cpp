//===- VerifyOrder.cpp - Reads, writes, starts and waits ------------------===//
//
// One walk over the instructions that keeps which buffers hold contents and
// which belong to a collective in flight.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/PlanFormat_generated.h"

#include <set>

namespace partopt::plan {

namespace {

class OrderChecker {
public:
  OrderChecker(const ProgramView &view, Problems &problems);
  void run();

private:
  void fail(const std::string &why) {
    problems.add(view.at(current) + ": " + why);
  }
  void touch(uint32_t buffer, const char *how);
  void read(uint32_t buffer);
  void write(uint32_t buffer);
  void start(const CollectiveStartT &op);
  void wait(const WaitT &op);
  void beginLoop(const LoopBeginT &op);
  void endLoop(const LoopEndT &op);
  void checkNothingInFlight(int since);
  bool isTurn(size_t begin) const;
  void endSends();
  void finish();

  const ProgramView &view;
  Problems &problems;
  size_t current = 0;
  std::vector<bool> defined;     // by buffer: holds contents
  std::vector<unsigned> sending; // by buffer: collectives reading it
  std::vector<int> receiving;    // by buffer: start that writes it, or -1
  std::vector<int> startOf;      // by event: start in flight, or -1
  std::vector<bool> writable;    // by buffer: not a kept argument

  struct OpenLoop {
    size_t begin = 0;
    std::set<uint32_t> carried, written, readFirst; // buffers
  };
  std::vector<OpenLoop> loops; // the innermost last
};

OrderChecker::OrderChecker(const ProgramView &view, Problems &problems)
    : view(view), problems(problems) {
  size_t buffers = view.program.buffers.size();
  defined.resize(buffers);
  sending.resize(buffers);
  receiving.assign(buffers, -1);
  startOf.assign(view.program.num_events, -1);
  writable.assign(buffers, true);
  for (const auto &argument : view.program.arguments) {
    defined[argument->buffer] = true;
    writable[argument->buffer] = false;
  }
  // An argument may be updated in place by the result that takes it.
  for (const auto &result : view.program.results)
    if (result->alias >= 0 &&
        view.program.arguments[result->alias]->buffer == result->buffer)
      writable[result->buffer] = true;
}

void OrderChecker::touch(uint32_t buffer, const char *how) {
  const BufferT &range = *view.program.buffers[buffer];
  if (current < range.first || current > range.last)
    fail(std::string(how) + " buffer " + std::to_string(buffer) +
         " outside its lifetime [" + std::to_string(range.first) + ", " +
         std::to_string(range.last) + "]");
}

void OrderChecker::read(uint32_t buffer) {
  touch(buffer, "reads");
  if (receiving[buffer] >= 0)
    return fail("reads buffer " + std::to_string(buffer) +
                " before the wait for the collective of instruction " +
                std::to_string(receiving[buffer]) + " that fills it");
  if (!defined[buffer])
    fail("reads buffer " + std::to_string(buffer) +
         " before anything was written to it");
  if (!loops.empty() && !loops.back().written.count(buffer))
    loops.back().readFirst.insert(buffer);
}

void OrderChecker::write(uint32_t buffer) {
  touch(buffer, "writes");
  if (receiving[buffer] >= 0)
    fail("writes buffer " + std::to_string(buffer) +
         " while the collective of instruction " +
         std::to_string(receiving[buffer]) + " fills it");
  if (sending[buffer] > 0)
    fail("overwrites buffer " + std::to_string(buffer) +
         " while a collective in flight still sends it");
  if (!writable[buffer])
    fail("overwrites the argument in buffer " + std::to_string(buffer) +
         ", which no result takes in place");
  defined[buffer] = true;
  if (!loops.empty())
    loops.back().written.insert(buffer);
}

/// What was started at `since` or later is over.
void OrderChecker::checkNothingInFlight(int since) {
  for (int started : startOf)
    if (started >= since)
      fail("the collective of instruction " + std::to_string(started) +
           " is in flight across the bound of a loop");
}

/// Whether the loop that begins at `begin` is one of those that take turns.
bool OrderChecker::isTurn(size_t begin) const {
  const InterleaveT *turns = view.program.turns.get();
  return turns && begin >= turns->first && begin <= turns->last;
}

/// What a turn sends is over before its buffers are written again.
void OrderChecker::endSends() {
  for (int &started : startOf) {
    if (started < 0)
      continue;
    const InstructionT &send = *view.program.instructions[started];
    if (send.op.AsCollectiveStart()->kind != CollectiveKind::Send)
      continue;
    for (uint32_t buffer : send.reads)
      --sending[buffer];
    started = -1;
  }
}

/// The carried buffers are written and read across iterations; every other one
/// that an iteration reads before it writes it holds what it held before.
void OrderChecker::beginLoop(const LoopBeginT &op) {
  // A turn may send and receive around a loop of its own.
  if (loops.size() != 1 || !isTurn(loops.back().begin))
    checkNothingInFlight(0);
  OpenLoop &loop = loops.emplace_back();
  loop.begin = current;
  loop.carried = {op.carried.begin(), op.carried.end()};
  loop.written = {op.index};
  loop.readFirst = loop.carried;
}

void OrderChecker::endLoop(const LoopEndT &op) {
  if (loops.size() == 1 && isTurn(loops.back().begin))
    endSends();
  (void)op;
  bool isWithinTurn = loops.size() == 2 && isTurn(loops.front().begin);
  checkNothingInFlight(isWithinTurn ? int(loops.back().begin) : 0);
  if (loops.empty())
    return;
  OpenLoop loop = std::move(loops.back());
  loops.pop_back();
  for (uint32_t buffer : loop.readFirst) {
    const BufferT &range = *view.program.buffers[buffer];
    if (loop.written.count(buffer) && !loop.carried.count(buffer))
      fail("an iteration reads buffer " + std::to_string(buffer) +
           " before it writes it, and the loop does not carry it");
    if (range.first > loop.begin || range.last < current)
      fail("the loop keeps buffer " + std::to_string(buffer) +
           ", whose lifetime [" + std::to_string(range.first) + ", " +
           std::to_string(range.last) + "] does not cover it");
  }
  if (loops.empty())
    return;
  // To the loop around it, it is one instruction.
  OpenLoop &outer = loops.back();
  for (uint32_t buffer : loop.readFirst)
    if (!outer.written.count(buffer))
      outer.readFirst.insert(buffer);
  outer.written.insert(loop.written.begin(), loop.written.end());
}

void OrderChecker::start(const CollectiveStartT &op) {
  if (startOf[op.event] >= 0)
    return fail("event " + std::to_string(op.event) +
                " is still in use by instruction " +
                std::to_string(startOf[op.event]));
  startOf[op.event] = static_cast<int>(current);
  const InstructionT &instruction = *view.program.instructions[current];
  for (uint32_t buffer : instruction.reads)
    ++sending[buffer];
  for (uint32_t buffer : instruction.writes)
    receiving[buffer] = static_cast<int>(current);
}

void OrderChecker::wait(const WaitT &op) {
  int started = startOf[op.event];
  if (started < 0)
    return fail("waits for event " + std::to_string(op.event) +
                ", which no collective in flight uses");
  bool isSend =
      view.program.instructions[started]->op.AsCollectiveStart()->kind ==
      CollectiveKind::Send;
  if (isSend && !loops.empty() && isTurn(loops.front().begin))
    fail("waits for the send of instruction " + std::to_string(started) +
         ", which is over before what it reads is written again");
  if (!loops.empty() && started < int(loops.back().begin))
    fail("waits in every iteration of a loop for the collective of "
         "instruction " +
         std::to_string(started) + ", which is started in front of it");
  startOf[op.event] = -1;
  const InstructionT &collective = *view.program.instructions[started];
  for (uint32_t buffer : collective.reads) {
    touch(buffer, "still sends");
    --sending[buffer];
  }
  for (uint32_t buffer : collective.writes) {
    touch(buffer, "completes");
    receiving[buffer] = -1;
  }
  // A wait touches nothing of its own.
  const InstructionT &instruction = *view.program.instructions[current];
  if (!instruction.reads.empty() || !instruction.writes.empty())
    fail("its lists of reads and writes are not what the operation touches");
}

void OrderChecker::finish() {
  for (size_t event = 0; event < startOf.size(); ++event)
    if (startOf[event] >= 0)
      problems.add(view.at(startOf[event]) +
                   ": the collective is never "
                   "waited for (event " +
                   std::to_string(event) + ")");
  for (const auto &result : view.program.results)
    if (!defined[result->buffer])
      problems.add(view.where() + ": " + result->tensor->index_name + " '" +
                   result->tensor->name + "' is never written");
}

void OrderChecker::run() {
  for (current = 0; current < view.program.instructions.size(); ++current) {
    const InstructionT &instruction = *view.program.instructions[current];
    if (const auto *op = instruction.op.AsWait()) {
      wait(*op);
      continue;
    }
    for (uint32_t buffer : instruction.reads)
      read(buffer);
    for (uint32_t buffer : instruction.writes)
      write(buffer);
    if (const auto *op = instruction.op.AsCollectiveStart())
      start(*op);
    if (const auto *op = instruction.op.AsLoopBegin())
      beginLoop(*op);
    if (const auto *op = instruction.op.AsLoopEnd())
      endLoop(*op);
  }
  finish();
}

} // namespace

void verifyOrder(const ProgramView &view, Problems &problems) {
  OrderChecker(view, problems).run();
}

} // namespace partopt::plan
