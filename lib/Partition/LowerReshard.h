// One reshard as comm ops on local shapes.

#ifndef PARTOPT_LIB_PARTITION_LOWERRESHARD_H
#define PARTOPT_LIB_PARTITION_LOWERRESHARD_H

#include "partopt/Search/ReshardSearch.h"

#include "mlir/IR/Builders.h"

namespace partopt {

/// Emits the steps of `solution` on the local `value` of the global type
/// `problem.type`. `why` is the reason that reports show.
mlir::Value lowerReshard(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, const ReshardProblem &problem,
                         const ReshardSolution &solution, llvm::StringRef why);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_LOWERRESHARD_H
