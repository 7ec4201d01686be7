//===- LocationText.h - A location as a user knows it ---------------------===//
//
// MLIR nests names, call sites and fusions; a user wants the one line of
// their program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SUPPORT_LOCATIONTEXT_H
#define PARTOPT_SUPPORT_LOCATIONTEXT_H

#include "mlir/IR/Location.h"

#include <string>

namespace partopt {

/// "train.py:33:8", the innermost file position in `loc`; "" when it has none.
std::string locationText(mlir::Location loc);

/// The innermost name in `loc` ("params['w0']", "jit(step)/add"), or "".
std::string locationName(mlir::Location loc);

} // namespace partopt

#endif // PARTOPT_SUPPORT_LOCATIONTEXT_H
