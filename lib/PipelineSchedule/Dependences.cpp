//===- Dependences.cpp - What an action waits for -------------------------===//
//
// See Dependences.h. A rank runs until an input is missing and is looked at
// again when a neighbour has made one, so the walk is linear.
//
//===----------------------------------------------------------------------===//

#include "Dependences.h"

#include <algorithm>

namespace partopt::pipeline {

Inputs inputsOf(const Problem &problem, const Action &action) {
  Inputs inputs;
  int stage = action.stage, microbatch = action.microbatch;
  switch (action.kind) {
  case ActionKind::Forward:
    if (stage > 0)
      inputs.add(ResultKind::Activation, stage - 1, microbatch);
    break;
  case ActionKind::InputGrad:
  case ActionKind::Backward:
    inputs.add(ResultKind::Activation, stage, microbatch);
    if (stage + 1 < problem.stages())
      inputs.add(ResultKind::InputGrad, stage + 1, microbatch);
    break;
  case ActionKind::WeightGrad:
    inputs.add(ResultKind::InputGrad, stage, microbatch);
    break;
  }
  return inputs;
}

std::string resultText(const Result &result) {
  const char *names[] = {"F", "I", "W"};
  return std::to_string(result.stage) + names[static_cast<int>(result.kind)] +
         std::to_string(result.microbatch);
}

double durationOf(const Problem &problem, const Action &action) {
  const StageTimes &times = problem.times[action.stage];
  switch (action.kind) {
  case ActionKind::Forward:
    return times.forward;
  case ActionKind::InputGrad:
    return times.inputGrad;
  case ActionKind::WeightGrad:
    return times.weightGrad;
  case ActionKind::Backward:
    break;
  }
  return times.backward();
}

double durationOf(const Problem &problem, const Step &step) {
  double first = durationOf(problem, step.action);
  if (!step.overlapped)
    return first;
  double second = durationOf(problem, *step.overlapped);
  return first + second - problem.overlapGain * std::min(first, second);
}

int peakOf(const Problem &problem, const std::vector<Step> &order) {
  // Nothing of a forward pass alone is kept for later.
  if (problem.forwardOnly)
    return order.empty() ? 0 : 1;
  int kept = 0, peak = 0;
  auto begin = [&](const Action &action) {
    kept += action.kind == ActionKind::Forward;
  };
  auto end = [&](const Action &action) {
    kept -= action.kind == ActionKind::WeightGrad ||
            action.kind == ActionKind::Backward;
  };
  for (const Step &step : order) {
    begin(step.action);
    if (step.overlapped)
      begin(*step.overlapped);
    peak = std::max(peak, kept);
    end(step.action);
    if (step.overlapped)
      end(*step.overlapped);
  }
  return peak;
}

OrderWalk::OrderWalk(const Problem &problem, const Schedule &schedule)
    : problem(problem), schedule(schedule),
      ends(size_t(3) * problem.stages() * problem.microbatches, -1),
      times(schedule.ranks.size()) {
  for (size_t rank = schedule.ranks.size(); rank-- > 0;) {
    times[rank].reserve(schedule.ranks[rank].size());
    runnable.push_back(static_cast<int>(rank));
  }
}

size_t OrderWalk::slot(const Result &result) const {
  return (size_t(result.kind) * problem.stages() + result.stage) *
             problem.microbatches +
         result.microbatch;
}

double OrderWalk::readyTime(const Action &action, int rank) const {
  double ready = 0;
  Inputs inputs = inputsOf(problem, action);
  for (int i = 0; i < inputs.count; ++i) {
    const Result &input = inputs.results[i];
    double end = ends[slot(input)];
    if (end < 0)
      return -1;
    bool stays = problem.placement.rank(input.stage, input.microbatch) == rank;
    ready = std::max(ready, end + (stays ? 0 : problem.latency));
  }
  return ready;
}

void OrderWalk::finish(const Action &action, double end) {
  int stage = action.stage, microbatch = action.microbatch;
  if (action.kind == ActionKind::Forward) {
    ends[slot({ResultKind::Activation, stage, microbatch})] = end;
    if (stage + 1 < problem.stages())
      runnable.push_back(problem.placement.rank(stage + 1, microbatch));
    return;
  }
  if (action.kind != ActionKind::InputGrad)
    ends[slot({ResultKind::WeightGrad, stage, microbatch})] = end;
  if (action.kind == ActionKind::WeightGrad)
    return;
  ends[slot({ResultKind::InputGrad, stage, microbatch})] = end;
  if (stage > 0)
    runnable.push_back(problem.placement.rank(stage - 1, microbatch));
}

void OrderWalk::advance(int rank) {
  const std::vector<Step> &order = schedule.ranks[rank];
  std::vector<StepTime> &done = times[rank];
  double free = done.empty() ? 0 : done.back().end;
  while (done.size() < order.size()) {
    const Step &step = order[done.size()];
    double ready = readyTime(step.action, rank);
    double other = step.overlapped ? readyTime(*step.overlapped, rank) : 0;
    if (ready < 0 || other < 0)
      return;
    double start = std::max({free, ready, other});
    free = start + durationOf(problem, step);
    done.push_back({start, free});
    finish(step.action, free);
    if (step.overlapped)
      finish(*step.overlapped, free);
  }
}

void OrderWalk::run() {
  while (!runnable.empty()) {
    int rank = runnable.back();
    runnable.pop_back();
    advance(rank);
  }
}

bool OrderWalk::isComplete() const {
  for (size_t rank = 0; rank < times.size(); ++rank)
    if (times[rank].size() < schedule.ranks[rank].size())
      return false;
  return true;
}

Result OrderWalk::missing(int rank) const {
  const Step &step = schedule.ranks[rank][times[rank].size()];
  for (const Action *action :
       {&step.action, step.overlapped ? &*step.overlapped : &step.action}) {
    Inputs inputs = inputsOf(problem, *action);
    for (int i = 0; i < inputs.count; ++i)
      if (!has(inputs.results[i]))
        return inputs.results[i];
  }
  return {ResultKind::Activation, step.action.stage, step.action.microbatch};
}

} // namespace partopt::pipeline
