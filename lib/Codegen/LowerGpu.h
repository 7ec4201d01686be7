// Kernel functions on tensors to functions of one grid each, and those to
// LLVM's form.
#ifndef PARTOPT_LIB_CODEGEN_LOWERGPU_H
#define PARTOPT_LIB_CODEGEN_LOWERGPU_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace partopt::codegen {

/// On a function of one grid: the number of threads of its blocks.
inline constexpr llvm::StringLiteral kLaunchAttr = "partopt.launch";

/// One grid of a kernel: its function, blocks, and threads of a block.
struct GpuGrid {
  std::string symbol;
  int64_t grid = 1, block = 1;
};

/// A kernel: its grids in the order in which they run.
struct GpuProgram {
  std::string name;
  unsigned numArguments = 0; ///< inputs and outputs, without scratch
  std::vector<GpuGrid> grids;
  int64_t scratchBytes = 0;
};

/// Adds to `module` a function over memrefs for every grid of `kernel`.
mlir::FailureOr<GpuProgram> lowerGpuKernel(mlir::func::FuncOp kernel,
                                           mlir::ModuleOp module);
/// The grids of `kernel` (see EmitGpu.h) as functions; erases `kernel`.
mlir::LogicalResult splitLaunches(mlir::func::FuncOp kernel, bool hasScratch,
                                  std::vector<GpuGrid> &grids);
/// Functions of grids to the LLVM and NVVM dialects, in place.
mlir::LogicalResult lowerGridsToLLVM(mlir::ModuleOp module);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_LOWERGPU_H
