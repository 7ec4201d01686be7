//===- KernelCost.h - Work of a kernel --------------------------*- C++ -*-===//
//
// What cost models and traces show beside a launch.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_ANALYSIS_KERNELCOST_H
#define PARTOPT_ANALYSIS_KERNELCOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

struct KernelWork {
  /// One operation per element of each elementwise result and per operand
  /// element of each reduction, two per multiplication of a contraction.
  int64_t flops = 0;
  int64_t contractions = 0; ///< of the flops: products and convolutions
  int64_t functions = 0;    ///< of the flops: results of costly ops
  /// Of arguments and results; of an argument that only indices pick from,
  /// those that are picked.
  int64_t bytes = 0;
  int64_t shuffled = 0; ///< of the bytes: picked by indices, or transposed
};

KernelWork kernelWork(mlir::func::FuncOp kernel);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_KERNELCOST_H
