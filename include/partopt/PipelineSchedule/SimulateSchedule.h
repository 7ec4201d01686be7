//===- SimulateSchedule.h - How long an order takes -----------------------===//
//
// Exact in its dependences: a step begins when its rank is free and its inputs
// are there. Linear in the number of actions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_SIMULATESCHEDULE_H
#define PARTOPT_PIPELINESCHEDULE_SIMULATESCHEDULE_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

/// Times count from the first forward's start, in the problem's unit.
struct StepTime {
  double start = 0, end = 0;
};

struct Timing {
  /// By rank and place in its order.
  std::vector<std::vector<StepTime>> steps;
  double makespan = 0; ///< until the last step of all ranks has ended
  /// The makespan beyond the work of the busiest rank.
  double bubble = 0;
  /// The longest that a rank idles between its own first and last step: the
  /// bubble that is left where ranks do not wait for each other between
  /// training steps.
  double spanBubble = 0;
  /// By rank: the most chunks whose forward has begun and whose weight gradient
  /// has not ended.
  std::vector<int> peak;
};

/// Of a schedule that verifySchedule accepts.
Timing simulateSchedule(const Problem &problem, const Schedule &schedule);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_SIMULATESCHEDULE_H
