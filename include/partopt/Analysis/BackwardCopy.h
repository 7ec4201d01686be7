// A value of the forward part, made a second time for the backward part, so
// that it need not live from the one to the other.

#ifndef PARTOPT_ANALYSIS_BACKWARDCOPY_H
#define PARTOPT_ANALYSIS_BACKWARDCOPY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace partopt {

/// What copyForBackward made and saw.
struct BackwardCopy {
  mlir::Operation *copy = nullptr; ///< null: one part alone reads the value
  /// Copies of what is made of the value alone, with ops that read nothing else
  /// (a transposed weight).
  llvm::SmallVector<mlir::Operation *> derived;
  bool usedForward = false;
};

/// Gives the readers of `op`'s one result that are not `isForward` (asked of
/// ops of `op`'s block) a copy of it, made in front of the first of them. What
/// the forward part makes of the result alone is copied too. The copies are
/// equal to the originals: whoever asks marks them so that they stay apart.
BackwardCopy
copyForBackward(mlir::Operation *op,
                llvm::function_ref<bool(mlir::Operation *)> isForward);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_BACKWARDCOPY_H
