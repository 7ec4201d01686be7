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

/// What a call does. An op that writes a part of its operand touches that part
/// only where the kernel writes over the operand (`partopt.overwritten_by`), or
/// with `inPlace` where it may.
KernelWork kernelWork(mlir::func::FuncOp kernel, bool inPlace = false);

/// The operand that `result` equals but for the places that its op writes, of a
/// dynamic_update_slice or a scatter; else null.
mlir::Value partlyWritten(mlir::OpResult result);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_KERNELCOST_H
