//===- PlanTypes.h - MLIR's element types in a plan file --------*- C++ -*-===//
//
// The numbers that stand for them in the file.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_PLANTYPES_H
#define PARTOPT_LIB_PLAN_PLANTYPES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include "mlir/IR/Types.h"

namespace partopt {

/// Invalid for a type that no buffer can hold.
plan::ElementType elementTypeOf(mlir::Type type);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_PLANTYPES_H
