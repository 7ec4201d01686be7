// Lines of elements sorted by all threads at once.
#ifndef PARTOPT_LIB_CODEGEN_GPUSORT_H
#define PARTOPT_LIB_CODEGEN_GPUSORT_H

#include "EmitGpu.h"

namespace partopt::codegen {

/// Sorts lines along one dimension of buffers of one shape, stably: runs of 1,
/// 2, 4, ... elements are merged, a grid for each length, in which every
/// element finds its place by counting those of the other run that come before
/// it.
class GpuMergeSort {
public:
  /// True when `lhs` comes before `rhs`; elements in storage form.
  using CompareFn = llvm::function_ref<mlir::FailureOr<mlir::Value>(
      ElementScope &, mlir::ValueRange lhs, mlir::ValueRange rhs)>;
  /// The elements at `at` before they are sorted, in storage form.
  using FillFn = llvm::function_ref<mlir::LogicalResult(
      ElementScope &, llvm::ArrayRef<Index> at,
      llvm::SmallVectorImpl<mlir::Value> &stored)>;

  GpuMergeSort(GpuEmitter &emitter, mlir::Location loc,
               llvm::ArrayRef<int64_t> shape, int64_t dim)
      : emitter(emitter), b(emitter.getBuilder()), loc(loc),
        shape(shape.begin(), shape.end()), dim(dim) {}

  /// Sorts into `results`, whose elements have the types `elements`.
  mlir::LogicalResult run(llvm::ArrayRef<Buffer> results,
                          llvm::ArrayRef<mlir::Type> elements, FillFn fill,
                          CompareFn comesFirst);

private:
  using Values = llvm::SmallVector<mlir::Value, 4>;

  mlir::LogicalResult pass(llvm::ArrayRef<Buffer> from,
                           llvm::ArrayRef<Buffer> to, int64_t width,
                           CompareFn comesFirst);
  mlir::FailureOr<mlir::Value>
  countBefore(ElementScope &scope, llvm::ArrayRef<Buffer> from,
              llvm::ArrayRef<Index> at, mlir::ValueRange own,
              mlir::Value isRight, mlir::Value low, mlir::Value high,
              int64_t width, CompareFn comesFirst);
  Values load(ElementScope &scope, llvm::ArrayRef<Buffer> from,
              llvm::ArrayRef<Index> at, mlir::Value i);
  void store(ElementScope &scope, llvm::ArrayRef<Buffer> to,
             llvm::ArrayRef<Index> at, mlir::Value i, mlir::ValueRange values);

  GpuEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<int64_t> shape;
  int64_t dim;
};

/// stablehlo.sort on a GPU.
mlir::LogicalResult emitSortOnGpu(KernelEmitter &emitter, mlir::Operation *op,
                                  llvm::ArrayRef<Buffer> results);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_GPUSORT_H
