// Warnings and notes that end up in the plan and its reports.

#ifndef PARTOPT_SUPPORT_WARNINGS_H
#define PARTOPT_SUPPORT_WARNINGS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"

namespace partopt {

/// Appends to the `partopt.warnings` of the module around `op` and emits the
/// message as a diagnostic at `op`. `code` is the word that scripts look for.
void addWarning(mlir::Operation *op, llvm::StringRef code,
                const llvm::Twine &message);

/// Appends to the `partopt.notes` of the module: what was decided at `op`, and
/// why. Nothing is wrong, so nothing is said while compiling.
void addNote(mlir::Operation *op, llvm::StringRef code,
             const llvm::Twine &message);

} // namespace partopt

#endif // PARTOPT_SUPPORT_WARNINGS_H
