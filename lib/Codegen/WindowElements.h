// What the two forms of reduce_window share.
#ifndef PARTOPT_LIB_CODEGEN_WINDOWELEMENTS_H
#define PARTOPT_LIB_CODEGEN_WINDOWELEMENTS_H

#include "EmitKernel.h"

#include "dialects/StableHLO/Windows.h"

namespace partopt::codegen {

/// The initial values of a reduce_window.
mlir::LogicalResult initialValues(ElementScope &scope, mlir::Operation *op,
                                  llvm::SmallVectorImpl<mlir::Value> &out);

/// The elements of all operands at `place`, or their initial values where
/// `place` is padding.
mlir::LogicalResult paddedElements(ElementScope &scope,
                                   stablehlo::ReduceWindowOp op,
                                   const DilatedPlace &place,
                                   llvm::SmallVectorImpl<mlir::Value> &out);

/// The rule of a reduce_window that is a scan; null for others.
const OpRule *scanRule(mlir::Operation *op);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_WINDOWELEMENTS_H
