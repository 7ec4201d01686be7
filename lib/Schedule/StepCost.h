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

/// Bytes of the tensors among `types`.
int64_t tensorBytes(mlir::TypeRange types);

/// Nanoseconds of a collective on `link`, or of an op on one core of a server.
int64_t estimateNanoseconds(mlir::Operation *op, const LinkCost &link);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_STEPCOST_H
