//===- LowerBound.h - What no order can beat ------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_LOWERBOUND_H
#define PARTOPT_PIPELINESCHEDULE_LOWERBOUND_H

#include "partopt/PipelineSchedule/Problem.h"

namespace partopt::pipeline {

/// A time that every order of the problem takes at least: for each rank its
/// work, what must pass before it can begin and after it has ended its last
/// gradient, and the time that the memory cap makes it wait. In O(stages).
/// docs/RationaleSchedules.md derives it.
double makespanBound(const Problem &problem);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_LOWERBOUND_H
