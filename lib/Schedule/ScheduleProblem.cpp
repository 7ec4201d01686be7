//===- ScheduleProblem.cpp - Order of compute and collectives -------------===//
//
// A list scheduler along simulated time, and an independent proof.
//
//===----------------------------------------------------------------------===//

#include "partopt/Schedule/ScheduleProblem.h"

#include <algorithm>
#include <map>
#include <set>

using namespace partopt;

namespace {

class Scheduler {
public:
  explicit Scheduler(const ScheduleProblem &problem);
  std::vector<ScheduleEntry> run();

private:
  enum class State { Waiting, Started, Done };
  /// Of one kind of limited gathers.
  struct Limit {
    /// All that have not started, by the step that first reads them.
    std::set<std::pair<unsigned, unsigned>> waiting;
    unsigned inFlight = 0;
  };

  bool isReady(unsigned step) const;
  bool wouldStall(unsigned step) const;
  void settleNeeds(unsigned step);
  void runStep(unsigned step);
  void start(unsigned step);
  void wait(unsigned step);
  void becameAvailable(unsigned step);
  /// Null for steps without a limit.
  Limit *limitOf(unsigned step);
  bool startOne();
  bool startNext(Limit &limit);
  void startWhatCan();
  void startNeeded(unsigned step);
  void settleOverdue();
  void runEager();

  const ScheduleProblem &problem;
  std::vector<State> state;
  std::vector<std::vector<unsigned>> readers;
  std::vector<unsigned> missing; // needs that have not run or started
  /// The first step that reads what this one makes, through collectives.
  std::vector<unsigned> firstUse;
  /// Collectives whose needs have all run or started.
  std::set<unsigned> candidates;
  Limit parameters, activations;
  std::vector<int64_t> finish; // of started collectives
  std::map<unsigned, int64_t> streamFree;
  std::vector<unsigned> inFlight;             // in start order
  std::set<std::pair<int64_t, unsigned>> due; // unlimited ones, by time
  std::set<unsigned> eager;                   // ready to run
  std::map<unsigned, unsigned> lastPaced;     // by stream
  int64_t now = 0;
  std::vector<ScheduleEntry> order;
};

Scheduler::Scheduler(const ScheduleProblem &problem)
    : problem(problem), state(problem.steps.size(), State::Waiting),
      readers(problem.steps.size()), missing(problem.steps.size()),
      firstUse(problem.steps.size(), problem.steps.size()),
      finish(problem.steps.size()) {
  // Readers come behind what they read.
  for (unsigned i = problem.steps.size(); i-- > 0;) {
    if (Limit *limit = limitOf(i))
      limit->waiting.insert({firstUse[i], i});
    unsigned use = problem.steps[i].isCollective ? firstUse[i] : i;
    for (unsigned need : problem.steps[i].needs)
      firstUse[need] = std::min(firstUse[need], use);
  }
  for (unsigned i = 0; i < problem.steps.size(); ++i) {
    missing[i] = problem.steps[i].needs.size();
    for (unsigned need : problem.steps[i].needs)
      readers[need].push_back(i);
  }
  for (unsigned i = 0; i < problem.steps.size(); ++i)
    if (missing[i] == 0)
      becameAvailable(i);
}

Scheduler::Limit *Scheduler::limitOf(unsigned step) {
  switch (problem.steps[step].limited) {
  case LimitedGather::None:
    return nullptr;
  case LimitedGather::Parameter:
    return &parameters;
  case LimitedGather::Activation:
    return &activations;
  }
  return nullptr;
}

void Scheduler::becameAvailable(unsigned step) {
  const ScheduleStep &what = problem.steps[step];
  if (what.isCollective && !limitOf(step))
    candidates.insert(step);
  else if (what.eager)
    eager.insert(step);
}

bool Scheduler::isReady(unsigned step) const {
  return state[step] == State::Waiting && missing[step] == 0;
}

/// True if a collective that `step` needs is still under way.
bool Scheduler::wouldStall(unsigned step) const {
  for (unsigned need : problem.steps[step].needs)
    if (state[need] == State::Started && finish[need] > now)
      return true;
  return false;
}

void Scheduler::wait(unsigned step) {
  now = std::max(now, finish[step]);
  state[step] = State::Done;
  inFlight.erase(std::find(inFlight.begin(), inFlight.end(), step));
  Limit *limit = limitOf(step);
  if (limit)
    --limit->inFlight;
  due.erase({finish[step] + problem.steps[step].nanoseconds, step});
  order.push_back({ScheduleAction::Wait, step});
}

/// Waits for the collectives that `step` needs, in the order of their starts.
void Scheduler::settleNeeds(unsigned step) {
  const std::vector<unsigned> &needs = problem.steps[step].needs;
  std::vector<unsigned> started;
  for (unsigned collective : inFlight)
    if (std::find(needs.begin(), needs.end(), collective) != needs.end())
      started.push_back(collective);
  for (unsigned collective : started)
    wait(collective);
}

void Scheduler::runStep(unsigned step) {
  settleNeeds(step);
  // What has been waited for makes room for the next gather, beside this step.
  startWhatCan();
  order.push_back({ScheduleAction::Run, step});
  state[step] = State::Done;
  eager.erase(step);
  now += problem.steps[step].nanoseconds;
  for (unsigned reader : readers[step])
    if (--missing[reader] == 0)
      becameAvailable(reader);
}

void Scheduler::start(unsigned step) {
  const ScheduleStep &what = problem.steps[step];
  Limit *limit = limitOf(step);
  candidates.erase(step);
  settleNeeds(step);
  if (what.paced) {
    auto [last, isFirst] = lastPaced.insert({what.stream, step});
    if (!isFirst && state[last->second] == State::Started)
      wait(last->second);
    last->second = step;
  }
  order.push_back({ScheduleAction::Start, step});
  state[step] = State::Started;
  int64_t &free = streamFree[what.stream];
  free = std::max(free, now) + what.nanoseconds;
  finish[step] = free;
  inFlight.push_back(step);
  if (limit) {
    limit->waiting.erase({firstUse[step], step});
    ++limit->inFlight;
  } else {
    due.insert({finish[step] + what.nanoseconds, step});
  }
  for (unsigned reader : readers[step])
    if (--missing[reader] == 0)
      becameAvailable(reader);
}

/// Starts the first of the unlimited ones that need not wait for another
/// collective.
bool Scheduler::startOne() {
  for (unsigned step : candidates)
    if (!wouldStall(step)) {
      start(step);
      return true;
    }
  return false;
}

/// The one that is used next, if it can start: those behind it may be ready
/// long before they are of use, and would take its place.
bool Scheduler::startNext(Limit &limit) {
  if (limit.inFlight >= problem.prefetch || limit.waiting.empty())
    return false;
  unsigned next = limit.waiting.begin()->second;
  if (!isReady(next) || wouldStall(next))
    return false;
  start(next);
  return true;
}

void Scheduler::startWhatCan() {
  while (startOne() || startNext(parameters) || startNext(activations)) {
  }
}

/// Starts every collective that `step` needs, whatever the limit.
void Scheduler::startNeeded(unsigned step) {
  for (unsigned need : problem.steps[step].needs)
    if (problem.steps[need].isCollective && state[need] == State::Waiting) {
      startNeeded(need);
      start(need);
    }
}

/// Waits for what should be over by now although it takes twice its estimate.
void Scheduler::settleOverdue() {
  while (!due.empty() && due.begin()->first <= now)
    wait(due.begin()->second);
}

/// Runs the eager steps for which no collective is under way.
void Scheduler::runEager() {
  auto isUnderWay = [&](unsigned need) { return state[need] != State::Done; };
  std::vector<unsigned> ready(eager.begin(), eager.end());
  for (unsigned step : ready) {
    const std::vector<unsigned> &needs = problem.steps[step].needs;
    if (state[step] == State::Waiting &&
        std::none_of(needs.begin(), needs.end(), isUnderWay))
      runStep(step);
  }
}

std::vector<ScheduleEntry> Scheduler::run() {
  unsigned n = problem.steps.size(), head = 0;
  auto skipDone = [&] {
    while (head < n &&
           (problem.steps[head].isCollective || state[head] == State::Done))
      ++head;
  };
  for (skipDone(); head < n; skipDone()) {
    startWhatCan();
    startNeeded(head);
    unsigned next = head;
    if (wouldStall(head))
      for (unsigned i = head + 1; i < n && i <= head + problem.lookahead; ++i)
        if (!problem.steps[i].isCollective && isReady(i) && !wouldStall(i)) {
          next = i;
          break;
        }
    runStep(next);
    startWhatCan();
    settleOverdue();
    runEager();
  }
  for (unsigned step = 0; step < n; ++step)
    if (state[step] == State::Waiting)
      start(step);
  while (!inFlight.empty())
    wait(inFlight.front());
  return std::move(order);
}

std::string stepText(unsigned step) { return "step " + std::to_string(step); }

} // namespace

std::string ScheduleProblem::check() const {
  for (unsigned i = 0; i < steps.size(); ++i)
    for (unsigned need : steps[i].needs)
      if (need >= i)
        return stepText(i) + " needs " + stepText(need) +
               ", which does not come before";
  return "";
}

std::vector<ScheduleEntry>
partopt::scheduleSteps(const ScheduleProblem &problem) {
  return Scheduler(problem).run();
}

std::string partopt::verifySchedule(const ScheduleProblem &problem,
                                    const std::vector<ScheduleEntry> &order) {
  std::vector<bool> begun(problem.steps.size()), done(problem.steps.size());
  for (const ScheduleEntry &entry : order) {
    if (entry.step >= problem.steps.size())
      return "there is no " + stepText(entry.step);
    const ScheduleStep &step = problem.steps[entry.step];
    if (step.isCollective == (entry.action == ScheduleAction::Run))
      return stepText(entry.step) + " is the wrong kind for its action";
    if (entry.action == ScheduleAction::Wait) {
      if (!begun[entry.step] || done[entry.step])
        return stepText(entry.step) + " is waited for before it starts or "
                                      "twice";
      done[entry.step] = true;
      continue;
    }
    if (begun[entry.step])
      return stepText(entry.step) + " comes twice";
    begun[entry.step] = true;
    done[entry.step] = entry.action == ScheduleAction::Run;
    for (unsigned need : step.needs)
      if (!done[need])
        return stepText(entry.step) + " comes before " + stepText(need) +
               ", which it needs";
  }
  for (unsigned i = 0; i < done.size(); ++i)
    if (!done[i])
      return stepText(i) + " is missing or never waited for";
  return "";
}
