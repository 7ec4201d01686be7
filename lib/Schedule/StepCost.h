//===- StepCost.h - Estimated time of one op --------------------*- C++ -*-===//
//
// For buckets, which are cut before there are kernels (ScheduleCost knows
// those): they decide only what starts when.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_SCHEDULE_STEPCOST_H
#define PARTOPT_LIB_SCHEDULE_STEPCOST_H

#include "partopt/Schedule/BucketBoundaries.h"

#include "mlir/IR/Operation.h"

namespace partopt {

/// Nanoseconds of a collective on `link`, or of an op (see opNanoseconds).
int64_t estimateNanoseconds(mlir::Operation *op, const LinkCost &link);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_STEPCOST_H
