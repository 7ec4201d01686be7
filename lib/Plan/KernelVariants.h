//===- KernelVariants.h - Kernels that write over an input ------*- C++ -*-===//
//
// A kernel's author permits that a result is written over an input; the planner
// decides it per call. A call that does calls a variant of the kernel, so that
// the compiled code may rely on what overlaps and what does not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_KERNELVARIANTS_H
#define PARTOPT_LIB_PLAN_KERNELVARIANTS_H

#include "partopt/Support/KernelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

namespace partopt {

class KernelVariants {
public:
  /// (argument, result) pairs that share an address.
  using Pairs = llvm::ArrayRef<std::pair<unsigned, unsigned>>;

  /// The variant of `kernel` for `pairs`, made on first use; `kernel` itself
  /// when there are none.
  mlir::func::FuncOp get(mlir::func::FuncOp kernel, Pairs pairs);

  /// Erases the kernels of `module` that get() has not returned.
  void eraseUnused(mlir::ModuleOp module) const;

private:
  llvm::StringMap<mlir::func::FuncOp> variants;
  llvm::DenseSet<mlir::Operation *> used;
};

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_KERNELVARIANTS_H
