//===- ImproveOrder.h - Local search along the critical path --------------===//

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_IMPROVEORDER_H
#define PARTOPT_LIB_PIPELINESCHEDULE_IMPROVEORDER_H

#include "FlatOrder.h"

namespace partopt::pipeline {

/// Moves ops of `order` that its makespan hangs on, within their rank's order
/// and its memory, for `rounds` trials or until the makespan is `bound`. The
/// order is never left worse than it was. Returns its makespan.
double improveOrder(const FlatProblem &flat, FlatOrder &order, long rounds,
                    double bound);

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_IMPROVEORDER_H
