// What the forms of scatter share.
#ifndef PARTOPT_LIB_CODEGEN_SCATTEREMITTER_H
#define PARTOPT_LIB_CODEGEN_SCATTEREMITTER_H

#include "EmitKernel.h"

#include "dialects/StableHLO/StableHLO.h"

namespace partopt::codegen {

/// One scatter: its dimension numbers resolved to positions.
class ScatterEmitter {
public:
  ScatterEmitter(KernelEmitter &emitter, stablehlo::ScatterOp op,
                 llvm::ArrayRef<Buffer> results)
      : emitter(emitter), op(op), numbers(op.getScatterDimensionNumbers()),
        results(results) {}

  mlir::LogicalResult run();

protected:
  /// Copies the operands and reads the dimension numbers.
  mlir::LogicalResult prepare();
  mlir::LogicalResult findStarts(ElementScope &scope,
                                 llvm::ArrayRef<Index> scatterAt,
                                 IndexVector &starts, mlir::Value &condition);
  void require(ElementScope &scope, mlir::Value term, mlir::Value &condition);
  IndexVector updatePlace(llvm::ArrayRef<Index> scatterAt,
                          llvm::ArrayRef<Index> windowAt);
  IndexVector placeOf(ElementScope &scope, llvm::ArrayRef<Index> starts,
                      llvm::ArrayRef<Index> windowAt, mlir::Value &condition);
  mlir::LogicalResult update(ElementScope &scope,
                             llvm::ArrayRef<Index> scatterAt);
  mlir::LogicalResult window(ElementScope &scope,
                             llvm::ArrayRef<Index> scatterAt,
                             llvm::ArrayRef<Index> starts,
                             llvm::ArrayRef<Index> windowAt);
  mlir::LogicalResult combine(ElementScope &scope,
                              llvm::ArrayRef<Index> updateAt,
                              llvm::ArrayRef<Index> place);
  /// Builds `body` under `condition`; without one where that is null.
  mlir::LogicalResult
  guarded(ElementScope &scope, mlir::Value condition,
          llvm::function_ref<mlir::LogicalResult(ElementScope &)> body);
  bool hasWindow(int64_t operandDim) const {
    return !llvm::is_contained(numbers.getInsertedWindowDims(), operandDim) &&
           !llvm::is_contained(numbers.getInputBatchingDims(), operandDim);
  }

  KernelEmitter &emitter;
  stablehlo::ScatterOp op;
  stablehlo::ScatterDimensionNumbersAttr numbers;
  llvm::ArrayRef<Buffer> results;
  llvm::ArrayRef<int64_t> shape;          ///< of an operand
  llvm::SmallVector<int64_t> scatterDims; ///< of an update
  llvm::SmallVector<int64_t> scatterShape, windowShape;
};

/// Scatter on a GPU (GpuScatter.cpp).
mlir::LogicalResult emitScatterOnGpu(KernelEmitter &emitter,
                                     mlir::Operation *op,
                                     llvm::ArrayRef<Buffer> results);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_SCATTEREMITTER_H
