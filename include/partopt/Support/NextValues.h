// Which result is an argument's value in the next step: parameters, optimizer
// state and caches go around, batches do not.

#ifndef PARTOPT_SUPPORT_NEXTVALUES_H
#define PARTOPT_SUPPORT_NEXTVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace partopt {

/// On an argument: the number of the result that is its next value, or -1 where
/// a user says that there is none. Import writes it.
inline constexpr llvm::StringLiteral kNextResultAttr = "partopt.next_result";

/// How that was found, in words.
inline constexpr llvm::StringLiteral kNextResultReasonAttr =
    "partopt.next_result_reason";

/// On a donated argument: the result that may take its buffer, which is its
/// next value too. JAX writes it.
inline constexpr llvm::StringLiteral kAliasingAttr = "tf.aliasing_output";

/// The result that is the argument's next value: what kNextResultAttr says,
/// else what the donation does; none where that is no result of `func`.
std::optional<unsigned> nextResultOf(mlir::func::FuncOp func,
                                     unsigned argument);

/// The argument's next value may be written over it.
bool isDonated(mlir::func::FuncOp func, unsigned argument);

} // namespace partopt

#endif // PARTOPT_SUPPORT_NEXTVALUES_H
