//===- KernelAttributes.h - Attributes of kernel functions ------*- C++ -*-===//
//
// What code generation and the planner tell each other about a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SUPPORT_KERNELATTRIBUTES_H
#define PARTOPT_SUPPORT_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace partopt {

/// Unit attribute of a function that is a kernel.
inline constexpr llvm::StringLiteral kKernelAttr = "partopt.kernel";

/// On a kernel's argument, as DenseI64ArrayAttr: the numbers of the results
/// that may be written over it. The kernel reads no element of the argument
/// after it has written that element of such a result.
inline constexpr llvm::StringLiteral kMayOverwriteAttr =
    "partopt.may_be_overwritten_by";

/// On a kernel's argument, a number: that result has the argument's address in
/// every call; the pointer that is passed for the result is not looked at.
inline constexpr llvm::StringLiteral kOverwriteAttr = "partopt.overwritten_by";

} // namespace partopt

#endif // PARTOPT_SUPPORT_KERNELATTRIBUTES_H
