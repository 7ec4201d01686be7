// What an argument says of the axes that split it.

#ifndef PARTOPT_SUPPORT_STORAGEATTRIBUTES_H
#define PARTOPT_SUPPORT_STORAGEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace partopt {

/// On an argument: "keep" where axes are only how it is stored, "compute" where
/// it is computed with in parts, or one of these words by axis.
inline constexpr llvm::StringLiteral kStorageOverrideAttr =
    "partopt.storage_override";
inline constexpr llvm::StringLiteral kStoreOver = "keep";
inline constexpr llvm::StringLiteral kComputeOver = "compute";

} // namespace partopt

#endif // PARTOPT_SUPPORT_STORAGEATTRIBUTES_H
