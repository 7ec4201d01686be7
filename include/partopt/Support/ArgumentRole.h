// What an argument of the step is: "param", "opt", "state", "batch", "rng",
// "scalar" or "unknown". Import writes it.

#ifndef PARTOPT_SUPPORT_ARGUMENTROLE_H
#define PARTOPT_SUPPORT_ARGUMENTROLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

inline constexpr llvm::StringLiteral kRoleAttr = "partopt.role";

/// The role of argument `argument` of `func`; "" where none is written.
inline llvm::StringRef roleOf(mlir::func::FuncOp func, unsigned argument) {
  auto role = func.getArgAttrOfType<mlir::StringAttr>(argument, kRoleAttr);
  return role ? role.getValue() : "";
}

/// The same of an argument of a function; "" for one of a region within.
inline llvm::StringRef roleOf(mlir::BlockArgument argument) {
  auto func =
      mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  return func ? roleOf(func, argument.getArgNumber()) : "";
}

} // namespace partopt

#endif // PARTOPT_SUPPORT_ARGUMENTROLE_H
