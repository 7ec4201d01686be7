// Which dimension of each value is the batch, found through sharding rules: two
// dimensions that one factor maps to are the same dimension of the model.

#ifndef PARTOPT_LIB_STRATEGY_BATCHDIMS_H
#define PARTOPT_LIB_STRATEGY_BATCHDIMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace partopt {

class BatchDims {
public:
  /// Dimension 0 of every argument of role batch is the batch.
  explicit BatchDims(mlir::func::FuncOp func);

  /// The first dimension of `value` that is the batch.
  std::optional<int64_t> dimOf(mlir::Value value) const;

private:
  unsigned number(mlir::Value value, int64_t dim);
  unsigned find(unsigned element) const;
  void join(unsigned a, unsigned b);
  void joinFactors(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, unsigned> begins; ///< number of dimension 0
  mutable std::vector<unsigned> parents;
  std::vector<bool> isBatch; ///< by root
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_BATCHDIMS_H
