// Where in the user's own source an op comes from: JAX nests names, calls and
// library frames around it.

#ifndef PARTOPT_SUPPORT_USERLOCATION_H
#define PARTOPT_SUPPORT_USERLOCATION_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace partopt {

/// All source positions of `loc`, the innermost call first.
llvm::SmallVector<mlir::FileLineColLoc> sourceFrames(mlir::Location loc);

/// The innermost position outside installed packages, else the innermost one;
/// nothing if `loc` has none.
std::optional<mlir::FileLineColLoc> userFrame(mlir::Location loc);

/// `file.py:8:23`, else the outermost name in quotes, else "<unknown>".
std::string describeLocation(mlir::Location loc);

/// The name of `loc("params['w']")`, which JAX gives to arguments; empty if
/// `loc` is not a name.
std::string locationName(mlir::Location loc);

} // namespace partopt

#endif // PARTOPT_SUPPORT_USERLOCATION_H
