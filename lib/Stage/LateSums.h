// Ops behind the loop over microbatches, in a form in which little moves
// between ranks.

#ifndef PARTOPT_LIB_STAGE_LATESUMS_H
#define PARTOPT_LIB_STAGE_LATESUMS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace partopt {

/// Broadcasts behind `end` get a copy for each op that reads them: a number is
/// sent, not the tensor that it is spread over.
void copyLateBroadcasts(mlir::Operation *end);

/// Sums behind `end` of summands that several ranks make are added up on each
/// rank first: of a norm over all gradients one number per rank moves.
/// `rankOf`: of a value, -1 where any rank has it. Returns whether a sum has
/// changed.
bool groupLateSums(mlir::Operation *end,
                   llvm::function_ref<int64_t(mlir::Value)> rankOf);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_LATESUMS_H
