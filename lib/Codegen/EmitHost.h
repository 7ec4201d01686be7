// A planned kernel as loops of the host over memrefs.
#ifndef PARTOPT_LIB_CODEGEN_EMITHOST_H
#define PARTOPT_LIB_CODEGEN_EMITHOST_H

#include "EmitKernel.h"

namespace partopt::codegen {

/// Side of the square tiles in which reads across the grain are turned.
inline constexpr int64_t kTile = 8;

class HostEmitter : public KernelEmitter {
public:
  using KernelEmitter::KernelEmitter;

  mlir::LogicalResult run() override;
  ElementScope topScope(mlir::Location loc) override;

private:
  struct Cuts;
  using Values = llvm::SmallVector<mlir::Value, 4>;

  void createBuffers();
  void createAccumulators(unsigned item);
  mlir::LogicalResult emitLoops(const Item &item);
  mlir::LogicalResult emitRows(const Nest &nest, ElementScope &scope,
                               IndexVector &at);
  mlir::LogicalResult emitGroup(const Nest &nest, const Group &group,
                                ElementScope &scope, const IndexVector &rows);
  mlir::LogicalResult emitTiled(const Nest &nest, const Group &group,
                                ElementScope &scope, const IndexVector &rows,
                                int64_t tileDim);
  mlir::LogicalResult emitTiles(const Nest &nest, const Group &group,
                                ElementScope &scope, IndexVector &at,
                                int64_t tileDim);
  mlir::LogicalResult emitTile(const Nest &nest, const Group &group,
                               ElementScope &scope, IndexVector &at,
                               int64_t tileDim);
  using RangeBody = llvm::function_ref<mlir::LogicalResult(ElementScope &)>;
  mlir::LogicalResult overRange(ElementScope &scope, IndexVector &at,
                                int64_t dim, int64_t low, int64_t high,
                                int64_t step, RangeBody body);
  int64_t tileDimOf(const Group &group, const Cuts &cuts) const;
  /// Drops everything emitted after `before` (null: the block's first ops).
  void eraseAfter(mlir::Operation *before);
  mlir::LogicalResult emitDims(const Nest &nest, const Group &group,
                               ElementScope &scope, IndexVector &at,
                               Values &accumulators, Cuts &cuts);
  mlir::LogicalResult emitPiece(const Nest &nest, const Group &group,
                                ElementScope &scope, IndexVector &at,
                                Values &accumulators, Cuts &cuts, int64_t low,
                                int64_t high);
  mlir::LogicalResult emitBody(const Nest &nest, const Group &group,
                               ElementScope &scope, llvm::ArrayRef<Index> at,
                               Values &accumulators);
  mlir::LogicalResult startFolds(const Nest &nest, const Group &group,
                                 ElementScope &scope, llvm::ArrayRef<Index> at,
                                 Values &accumulators);
  mlir::LogicalResult finishFolds(const Nest &nest, const Group &group,
                                  ElementScope &scope, llvm::ArrayRef<Index> at,
                                  Values &accumulators);
  mlir::LogicalResult
  overKept(const Item &item, ElementScope &scope, llvm::ArrayRef<Index> at,
           llvm::function_ref<mlir::LogicalResult(ElementScope &,
                                                  llvm::ArrayRef<Index>)>
               body);
  mlir::LogicalResult initAccumulators(unsigned item, ElementScope &scope,
                                       llvm::ArrayRef<Index> at);
  mlir::LogicalResult writeBack(unsigned item, ElementScope &scope,
                                llvm::ArrayRef<Index> at);
  int64_t registerDim(const Nest &nest, const Item &item) const;

  /// Sums that go through memory: per item and result, in the compute type.
  llvm::DenseMap<unsigned, llvm::SmallVector<Buffer, 1>> accumulatorsOf;
  llvm::SmallVector<SplitRequest> splits;
  TransposedReads transposed;
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_EMITHOST_H
