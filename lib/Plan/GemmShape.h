//===- GemmShape.h - A matrix product in BLAS form --------------*- C++ -*-===//
//
// Reads the sizes of a dot_general that a backend's BLAS can run.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_GEMMSHAPE_H
#define PARTOPT_LIB_PLAN_GEMMSHAPE_H

#include "dialects/StableHLO/LinearAlgebraOps.h"

namespace partopt {

/// The sizes of a matrix product in BLAS form.
struct GemmShape {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transA = false, transB = false;
  int64_t lda = 0, ldb = 0;
};

/// Fails, with an error at the op, where it is not in BLAS form.
mlir::FailureOr<GemmShape> gemmShape(stablehlo::DotGeneralOp op);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_GEMMSHAPE_H
