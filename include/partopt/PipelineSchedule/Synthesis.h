//===- Synthesis.h - An order made for the stages' own times --------------===//
//
// Named schedules assume that all times are alike and that transfers are free.
// The synthesis starts from those that fit the memory and from list schedules
// of its own, and improves the best along their critical paths. It is limited
// by the number of actions that it times, never by time, and so repeats itself.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_SYNTHESIS_H
#define PARTOPT_PIPELINESCHEDULE_SYNTHESIS_H

#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

struct Synthesis {
  Problem problem; ///< the one of those asked for that the order is for
  Schedule schedule;
  double makespan = 0;
  /// Of all that were asked for: no order of any placement is shorter.
  double lowerBound = 0;
};

/// The placements that a named schedule has for such a chain, as problems
/// without times: the loop; for two chunks per rank also the one that goes down
/// and up; for one also both ways at once, where DualPipe takes the shape and
/// fits the cap (it holds every stage's parameters on two ranks).
std::vector<Problem> placementsOf(const ScheduleShape &shape,
                                  std::optional<int> memoryCap);

/// The best order found for one of `problems`, which differ in their placement
/// alone and are checked. It is verified, fits the memory cap, and is never
/// longer than any named schedule for the same placement that fits it. Returns
/// empty, or an error where no order fits the cap, with the smallest that
/// works.
std::string synthesize(const std::vector<Problem> &problems, Synthesis &result);

/// The smallest memory cap with which the problem has an order: the chunks of a
/// rank that one microbatch passes.
int smallestCap(const Problem &problem);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_SYNTHESIS_H
