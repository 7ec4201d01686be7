// Which dimension of each value is the batch.

#ifndef PARTOPT_LIB_STRATEGY_BATCHDIMS_H
#define PARTOPT_LIB_STRATEGY_BATCHDIMS_H

#include "DimensionClasses.h"

namespace partopt {

class BatchDims {
public:
  /// Dimension 0 of every argument of role batch is the batch.
  explicit BatchDims(mlir::func::FuncOp func);

  /// The first dimension of `value` that is the batch.
  std::optional<int64_t> dimOf(mlir::Value value) const;

private:
  DimensionClasses classes;
  std::vector<bool> isBatch; ///< by class
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_BATCHDIMS_H
