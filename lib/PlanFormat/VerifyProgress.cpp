//===- VerifyProgress.cpp - Every rank comes to its end -------------------===//
//
// All classes run along their programs against each other, turn by turn: one
// class stands for its ranks. Transfers are as late as they may be: a receive
// begins where it is waited for, and a send is over when it is received. What
// comes to its end like that does so however early messages are taken.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ProgramWalk.h"

#include <deque>

namespace partopt::plan {

namespace {

/// A class on its way.
struct Runner {
  explicit Runner(const ProgramView &view)
      : view(view), walk(view.program), events(view.program.num_events),
        startOf(view.program.num_events) {
    isOver = !walk.next(step);
  }

  /// Whether the instruction is one of interleaved loops.
  bool isTurn(uint32_t instruction) const {
    const InterleaveT *turns = view.program.turns.get();
    return turns && instruction >= turns->first && instruction <= turns->last;
  }

  const ProgramView &view;
  ProgramWalk walk;
  WalkStep step; ///< the one to be made
  bool isOver = false;
  /// By event: what has ended and was not waited for, and the last start.
  std::vector<uint32_t> events;
  std::vector<const CollectiveStartT *> startOf;
  std::map<uint32_t, uint64_t> ended; ///< by Send of a turn: runs received
  /// By stream: sends and collectives that are started, with their places.
  std::map<uint16_t, std::deque<std::pair<const CollectiveStartT *, uint32_t>>>
      queues;
  /// By stream: receives that are started and not waited for.
  std::map<uint16_t, std::deque<const CollectiveStartT *>> receives;
};

class Play {
public:
  Play(const std::vector<ProgramView> &views, Problems &problems)
      : views(views), problems(problems), peers(views.front().plan),
        meetings(views.front().plan) {
    for (const ProgramView &view : views)
      runners.emplace_back(view);
  }
  void run();

private:
  bool advance(size_t index);
  bool isBlocked(size_t index);
  void start(Runner &runner, const CollectiveStartT &op);
  bool receive(size_t index, const CollectiveStartT &op);
  bool completeCollectives(size_t index);
  bool isReady(size_t index, const CollectiveStartT &op);
  std::string placeText(size_t index);
  std::string ranksText(size_t index) const;
  void reportStuck();

  const std::vector<ProgramView> &views;
  Problems &problems;
  Peers peers;
  Meetings meetings;
  std::deque<Runner> runners; // by class
};

void Play::start(Runner &runner, const CollectiveStartT &op) {
  runner.startOf[op.event] = &op;
  if (op.kind == CollectiveKind::Recv)
    runner.receives[op.stream].push_back(&op);
  else
    runner.queues[op.stream].emplace_back(&op, runner.step.instruction);
}

/// Takes the message that the class waits for, if its sender has started it.
bool Play::receive(size_t index, const CollectiveStartT &op) {
  Runner &runner = runners[index];
  std::deque<const CollectiveStartT *> &started = runner.receives[op.stream];
  if (started.front() != &op) {
    problems.add(views[index].at(runner.step.instruction) +
                 ": waits for channel " + std::to_string(op.id) +
                 " before channel " + std::to_string(started.front()->id) +
                 ", which comes first on stream " + std::to_string(op.stream));
    return false;
  }
  Runner &sender = runners[peers.of(index, op).classIndex];
  auto &queue = sender.queues[op.stream];
  if (queue.empty())
    return false;
  auto [message, place] = queue.front();
  if (message->id != op.id) {
    problems.add(placeText(index) + " receives channel " +
                 std::to_string(op.id) + " where " + sender.view.at(place) +
                 " sends channel " + std::to_string(message->id) + " first");
    return false;
  }
  queue.pop_front();
  started.pop_front();
  if (sender.isTurn(place))
    ++sender.ended[place];
  else
    ++sender.events[message->event];
  ++runner.events[op.event];
  return true;
}

/// Whether the step has to wait for something that has not happened.
bool Play::isBlocked(size_t index) {
  Runner &runner = runners[index];
  const WalkStep &step = runner.step;
  if (step.kind == WalkStep::Kind::Await)
    return runner.ended[step.instruction] < step.count;
  const OpUnion &op = views[index].program.instructions[step.instruction]->op;
  const auto *wait = op.AsWait();
  if (!wait)
    return false;
  const CollectiveStartT &started = *runner.startOf[wait->event];
  if (runner.events[wait->event] == 0 &&
      (started.kind != CollectiveKind::Recv || !receive(index, started)))
    return true;
  --runner.events[wait->event];
  return false;
}

/// Runs the class until it waits; true when it moved.
bool Play::advance(size_t index) {
  Runner &runner = runners[index];
  bool moved = false;
  while (!runner.isOver && !isBlocked(index)) {
    const OpUnion &op =
        views[index].program.instructions[runner.step.instruction]->op;
    if (const auto *started = op.AsCollectiveStart();
        started && runner.step.kind != WalkStep::Kind::Await)
      start(runner, *started);
    runner.isOver = !runner.walk.next(runner.step);
    moved = true;
  }
  return moved;
}

/// Whether all that class `index` meets have the collective next: then it ends
/// on all of them.
bool Play::isReady(size_t index, const CollectiveStartT &op) {
  for (size_t other : meetings.with(index, op.axes)) {
    auto queue = runners[other].queues.find(op.stream);
    if (queue == runners[other].queues.end() || queue->second.empty() ||
        isMessage(*queue->second.front().first) ||
        queue->second.front().first->id != op.id)
      return false;
  }
  return true;
}

bool Play::completeCollectives(size_t index) {
  bool moved = false;
  for (auto &[stream, queue] : runners[index].queues)
    while (!queue.empty() && !isMessage(*queue.front().first) &&
           isReady(index, *queue.front().first)) {
      const CollectiveStartT op = *queue.front().first;
      for (size_t other : meetings.with(index, op.axes)) {
        auto &ofOther = runners[other].queues[op.stream];
        ++runners[other].events[ofOther.front().first->event];
        ofOther.pop_front();
      }
      moved = true;
    }
  return moved;
}

std::string Play::ranksText(size_t index) const {
  const std::vector<uint16_t> &classOf = views.front().plan.rank_class;
  std::string first;
  size_t more = 0;
  for (size_t rank = 0; rank < classOf.size(); ++rank)
    if (classOf[rank] == index) {
      more += !first.empty();
      first = first.empty() ? std::to_string(rank) : first;
    }
  return "rank " + first +
         (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string Play::placeText(size_t index) {
  const WalkStep &step = runners[index].step;
  std::string text =
      ranksText(index) + ", " + views[index].at(step.instruction);
  if (step.turn != WalkStep::none)
    text += " in " + turnText(views[index].program, step.turn);
  return text;
}

void Play::reportStuck() {
  std::string stuck;
  for (size_t i = 0; i < runners.size(); ++i) {
    const Runner &runner = runners[i];
    if (runner.isOver)
      continue;
    const OpUnion &op =
        views[i].program.instructions[runner.step.instruction]->op;
    const auto *wait = op.AsWait();
    const CollectiveStartT *started =
        wait ? runner.startOf[wait->event] : op.AsCollectiveStart();
    stuck += (stuck.empty() ? "" : "; ") + placeText(i) + " waits for " +
             collectiveName(started->kind) + " " + std::to_string(started->id);
    if (isMessage(*started))
      stuck += (started->kind == CollectiveKind::Send ? " to class '"
                                                      : " from class '") +
               views[peers.of(i, *started).classIndex].rankClass.name + "'";
  }
  if (!stuck.empty())
    problems.add("the waits are cyclic, nothing can move: " + stuck);
}

void Play::run() {
  size_t before = problems.size();
  for (bool moved = true; moved && problems.size() == before;) {
    moved = false;
    for (size_t i = 0; i < runners.size(); ++i) {
      moved |= advance(i);
      moved |= completeCollectives(i);
    }
  }
  if (problems.size() == before)
    reportStuck();
}

} // namespace

void verifyProgress(const std::vector<ProgramView> &views, Problems &problems) {
  if (views.size() > 1) // one class runs in step with itself
    Play(views, problems).run();
}

} // namespace partopt::plan
