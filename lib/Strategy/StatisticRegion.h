// The ops between sums over the batch and uses that are spread over it again: a
// model's batch statistics.

#ifndef PARTOPT_LIB_STRATEGY_STATISTICREGION_H
#define PARTOPT_LIB_STRATEGY_STATISTICREGION_H

#include "BatchDims.h"

#include "llvm/ADT/SetVector.h"

namespace partopt {

struct StatisticRegion {
  /// A value of the region with its uses outside.
  using Leaving = std::pair<mlir::Value, llvm::SmallVector<mlir::OpOperand *>>;

  StatisticRegion(mlir::func::FuncOp func, int64_t groups)
      : func(func), groups(groups), batch(func) {}

  /// Fills in the rest. Fails, with an error at the op, where a statistic has
  /// no form for `groups` groups of rows.
  mlir::LogicalResult find();

  mlir::func::FuncOp func;
  int64_t groups;
  BatchDims batch;
  /// In program order; sources are those that sum over the batch.
  llvm::SetVector<mlir::Operation *> ops, sources;
  /// Broadcasts of the region's values over the batch.
  llvm::SetVector<mlir::Operation *> sinks;
  /// Not of sources, which stay for such uses as they are.
  llvm::SmallVector<Leaving> leaving;

private:
  bool isSource(mlir::Operation *op) const;
  mlir::LogicalResult check(mlir::Operation *op);
  mlir::LogicalResult checkLeaves(mlir::Value value, mlir::Operation *user);
  mlir::LogicalResult findLeaving();
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_STATISTICREGION_H
