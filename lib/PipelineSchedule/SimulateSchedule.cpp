//===- SimulateSchedule.cpp - How long an order takes ---------------------===//
//
// See SimulateSchedule.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/SimulateSchedule.h"

#include "Dependences.h"

#include <algorithm>

namespace partopt::pipeline {

Timing simulateSchedule(const Problem &problem, const Schedule &schedule) {
  OrderWalk walk(problem, schedule);
  walk.run();
  Timing timing;
  timing.steps = walk.takeTimes();
  double busiest = 0;
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<Step> &order = schedule.ranks[rank];
    timing.peak.push_back(peakOf(problem, order));
    if (order.empty())
      continue;
    double busy = 0;
    for (const Step &step : order)
      busy += durationOf(problem, step);
    const std::vector<StepTime> &times = timing.steps[rank];
    double span = times.back().end - times.front().start;
    timing.makespan = std::max(timing.makespan, times.back().end);
    timing.spanBubble = std::max(timing.spanBubble, span - busy);
    busiest = std::max(busiest, busy);
  }
  timing.bubble = timing.makespan - busiest;
  return timing;
}

} // namespace partopt::pipeline
