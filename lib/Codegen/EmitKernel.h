// A planned kernel as loops over memrefs.
#ifndef PARTOPT_LIB_CODEGEN_EMITKERNEL_H
#define PARTOPT_LIB_CODEGEN_EMITKERNEL_H

#include "KernelPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace partopt::codegen {

/// Side of the square tiles in which reads across the grain are turned.
inline constexpr int64_t kTile = 8;

/// Writes the body of a function over memrefs (inputs, then outputs) that
/// computes a kernel on tensors.
class KernelEmitter {
public:
  KernelEmitter(mlir::Block &source, const KernelPlan &plan,
                mlir::func::FuncOp target)
      : source(source), plan(plan), target(target), builder(target) {}

  mlir::LogicalResult run();

  using BodyFn = llvm::function_ref<mlir::LogicalResult(ElementScope &,
                                                        llvm::ArrayRef<Index>)>;
  /// Loops over `shape` with `body` inside; for ops with loops of their own.
  mlir::LogicalResult loops(ElementScope &scope, llvm::ArrayRef<int64_t> shape,
                            BodyFn body);
  /// Writes `scalar` (compute form) into a buffer of a tensor.
  void store(ElementScope &scope, const Buffer &buffer, mlir::Type elementType,
             llvm::ArrayRef<Index> at, mlir::Value scalar);
  /// A one-dimensional temporary for an op with loops of its own.
  Buffer rowBuffer(int64_t length, mlir::Type elementType);
  /// Where a stored value goes.
  Buffer placeOf(mlir::Value value) const { return places.lookup(value); }
  /// The complete value `value` lies in `buffer`.
  bool isIn(mlir::Value value, const Buffer &buffer) const {
    return buffers.lookup(value).memref == buffer.memref;
  }
  /// A scope at the builder's place that sees all complete buffers.
  ElementScope topScope(mlir::Location loc);

  mlir::OpBuilder &getBuilder() { return builder; }

private:
  struct Cuts;
  using Values = llvm::SmallVector<mlir::Value, 4>;

  void createBuffers();
  void createTable(mlir::Operation *constant);
  void createAccumulators(unsigned item);
  mlir::LogicalResult emitCopies();
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

  mlir::Block &source;
  const KernelPlan &plan;
  mlir::func::FuncOp target;
  mlir::OpBuilder builder;
  /// Where each stored value goes; complete ones are in `buffers` too.
  llvm::DenseMap<mlir::Value, Buffer> places;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Sums that go through memory: per item and result, in the compute type.
  llvm::DenseMap<unsigned, llvm::SmallVector<Buffer, 1>> accumulatorsOf;
  llvm::SmallVector<SplitRequest> splits;
  TransposedReads transposed;
};

/// A whole buffer as one dimension.
mlir::Value flatBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value memref);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_EMITKERNEL_H
