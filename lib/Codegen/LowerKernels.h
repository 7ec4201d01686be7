// Kernel functions on tensors to functions on buffers.
#ifndef PARTOPT_LIB_CODEGEN_LOWERKERNELS_H
#define PARTOPT_LIB_CODEGEN_LOWERKERNELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partopt::codegen {

/// Adds to `loops` a function with the name of `kernel` over memrefs (inputs,
/// then outputs) that computes it. Errors are reported at the op in question.
mlir::LogicalResult lowerKernel(mlir::func::FuncOp kernel,
                                mlir::ModuleOp loops);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_LOWERKERNELS_H
