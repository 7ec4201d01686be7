// The values of a program as its user counts them: what its ops compute, in
// program order, whatever propagation has added around them.

#ifndef PARTOPT_ANALYSIS_PROGRAMVALUES_H
#define PARTOPT_ANALYSIS_PROGRAMVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace partopt {

/// On an op that propagation added to compute anew what another op computes,
/// until the partition stage.
inline constexpr llvm::StringLiteral kCopyAttr = "partopt.copy";

/// On the ops of the program's values, once others have been moved or copied:
/// where they were before, until the partition stage. Copies have it too.
inline constexpr llvm::StringLiteral kPlaceAttr = "partopt.place";

/// Gives every op of programValues its place.
void keepProgramOrder(mlir::func::FuncOp func);

/// The op's place, or -1.
int64_t placeOf(mlir::Operation *op);

/// True for an op that any device can compute from nothing: constants, and
/// cheap ops of constants or of one scalar. `cheap` holds the ops before it of
/// which that is known.
bool isCheapOp(mlir::Operation *op,
               const llvm::DenseSet<mlir::Operation *> &cheap);

/// The tensors that the ops of the function's own block compute and that are
/// used, in program order. Cheap ops are left out, since propagation copies and
/// merges them, and so are copies of other ops and what only changes layouts.
/// The program with and without its shardings and copies has the same list.
llvm::SmallVector<mlir::OpResult> programValues(mlir::func::FuncOp func);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_PROGRAMVALUES_H
