// What the plan says of parameters that are gathered in units.

#ifndef PARTOPT_LIB_SCHEDULE_UNITNOTES_H
#define PARTOPT_LIB_SCHEDULE_UNITNOTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

/// Notes how many units the scheduled `func` gathers, and the most bytes of
/// gathered parameters that are there at once with units gathered `prefetch`
/// ahead; or, where no parameter is gathered, how many units of gradients
/// leave.
void noteUnits(mlir::func::FuncOp func, unsigned prefetch);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_UNITNOTES_H
