//===- FlatOrder.cpp - Orders for the synthesis' inner loops --------------===//
//
// See FlatOrder.h.
//
//===----------------------------------------------------------------------===//

#include "FlatOrder.h"

#include <algorithm>

namespace partopt::pipeline {

FlatProblem::FlatProblem(const Problem &problem)
    : ranks(problem.ranks()), stages(problem.stages()),
      microbatches(problem.microbatches),
      ways(problem.placement.hasTwoWays() ? 2 : 1), chunks(ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    caps.push_back(problem.capOf(rank).value_or(stages * microbatches));
  const Placement &placement = problem.placement;
  int boundary = ways == 2 ? placement.firstOfOtherWay() : microbatches;
  double hold[2] = {};
  for (int stage = stages; stage-- > 0;)
    for (int way = 0; way < ways; ++way) {
      int first = way * boundary;
      const StageTimes &times = problem.times[stage];
      if (stage + 1 < stages)
        hold[way] += 2 * problem.transfer(stage, first);
      hold[way] += times.forward + times.inputGrad;
      chunks[placement.rank(stage, first)].push_back(
          {stage, first, way == 0 ? boundary : microbatches - boundary, way,
           hold[way] + times.weightGrad});
    }
  for (std::vector<FlatChunk> &own : chunks)
    std::reverse(own.begin(), own.end());
  size_t count = size_t(3) * stages * microbatches;
  duration.resize(count);
  rank.resize(count);
  delay.assign(count, 0);
  input.assign(count, -1);
  output.assign(count, -1);
  auto connect = [&](int from, int to, double latency) {
    input[to] = from;
    output[from] = to;
    delay[to] = latency;
  };
  for (int stage = 0; stage < stages; ++stage)
    for (int i = 0; i < microbatches; ++i) {
      int forward = id(ActionKind::Forward, stage, i);
      int inputGrad = id(ActionKind::InputGrad, stage, i);
      int weightGrad = id(ActionKind::WeightGrad, stage, i);
      const StageTimes &times = problem.times[stage];
      duration[forward] = times.forward;
      duration[inputGrad] = times.inputGrad;
      duration[weightGrad] = times.weightGrad;
      for (int op : {forward, inputGrad, weightGrad})
        rank[op] = placement.rank(stage, i);
      if (stage + 1 == stages) {
        connect(forward, inputGrad, 0);
        continue;
      }
      double latency = problem.transfer(stage, i);
      connect(forward, id(ActionKind::Forward, stage + 1, i), latency);
      connect(id(ActionKind::InputGrad, stage + 1, i), inputGrad, latency);
    }
}

int FlatProblem::chunksOfMicrobatch(int rank) const {
  int most = 0;
  for (int way = 0; way < ways; ++way) {
    int own = 0;
    for (const FlatChunk &chunk : chunks[rank])
      own += chunk.way == way;
    most = std::max(most, own);
  }
  return most;
}

FlatOrder flatten(const FlatProblem &flat, const Schedule &schedule) {
  FlatOrder order(flat.ranks);
  for (int rank = 0; rank < flat.ranks; ++rank) {
    auto add = [&](const Action &action) {
      if (action.kind != ActionKind::Backward) {
        order[rank].push_back(
            flat.id(action.kind, action.stage, action.microbatch));
        return;
      }
      for (ActionKind kind : {ActionKind::InputGrad, ActionKind::WeightGrad})
        order[rank].push_back(flat.id(kind, action.stage, action.microbatch));
    };
    for (const Step &step : schedule.ranks[rank]) {
      add(step.action);
      if (step.overlapped)
        add(*step.overlapped);
    }
  }
  return order;
}

Schedule unflatten(const FlatProblem &flat, const FlatOrder &order) {
  Schedule schedule;
  schedule.ranks.resize(order.size());
  for (size_t rank = 0; rank < order.size(); ++rank)
    for (int op : order[rank])
      schedule.ranks[rank].push_back({flat.actionOf(op), std::nullopt});
  return schedule;
}

int peakOf(const FlatProblem &flat, const std::vector<int> &ops) {
  int kept = 0, peak = 0;
  for (int op : ops) {
    ActionKind kind = flat.kindOf(op);
    kept += kind == ActionKind::Forward;
    kept -= kind == ActionKind::WeightGrad;
    peak = std::max(peak, kept);
  }
  return peak;
}

FlatTimer::FlatTimer(const FlatProblem &flat)
    : end(flat.duration.size()), flat(flat) {}

double FlatTimer::run(const FlatOrder &order) {
  std::fill(end.begin(), end.end(), -1.0);
  position.assign(flat.ranks, 0);
  free.assign(flat.ranks, 0);
  runnable.clear();
  for (int rank = flat.ranks; rank-- > 0;)
    runnable.push_back(rank);
  size_t left = 0;
  for (const std::vector<int> &ops : order)
    left += ops.size();
  double makespan = 0;
  while (!runnable.empty()) {
    int rank = runnable.back();
    runnable.pop_back();
    const std::vector<int> &ops = order[rank];
    size_t &at = position[rank];
    double now = free[rank];
    for (; at < ops.size(); ++at, --left) {
      int op = ops[at], input = flat.input[op];
      if (input >= 0) {
        if (end[input] < 0)
          break;
        now = std::max(now, end[input] + flat.delay[op]);
      }
      now += flat.duration[op];
      end[op] = now;
      int output = flat.output[op];
      if (output >= 0 && flat.rank[output] != rank)
        runnable.push_back(flat.rank[output]);
    }
    free[rank] = now;
    makespan = std::max(makespan, now);
  }
  return left == 0 ? makespan : never;
}

} // namespace partopt::pipeline
