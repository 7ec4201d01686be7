// Which collectives of a local program move parameters and their gradients.

#ifndef PARTOPT_LIB_SCHEDULE_GRADIENTCOLLECTIVES_H
#define PARTOPT_LIB_SCHEDULE_GRADIENTCOLLECTIVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <string>

namespace partopt {

/// What a collective does for a parameter.
struct ParameterMove {
  enum Kind {
    Gather,  ///< of the stored shard, for use
    Reduce,  ///< of the gradient: a reduce_scatter or all_reduce
    Refresh, ///< of the updated shard
  } kind;
  unsigned argument;
  int64_t row = -1; ///< of a stack, or -1
};

/// By collective, in program order. Gathers are those with
/// `partopt.storage_gather`. Reductions and refreshing gathers are found from
/// the result that takes the parameter's buffer, back through ops that work
/// element by element on tensors of its size; a scalar has none. Linear in the
/// ops.
llvm::MapVector<mlir::Operation *, ParameterMove>
findParameterMoves(mlir::func::FuncOp func);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_GRADIENTCOLLECTIVES_H
