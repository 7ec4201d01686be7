// Attributes with which the stages tell each other what moves together.

#ifndef PARTOPT_SUPPORT_UNITATTRIBUTES_H
#define PARTOPT_SUPPORT_UNITATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace partopt {

/// On a parameter, and on what gathers it or reduces its gradient: the name of
/// the unit with which it is gathered, freed and reduced.
inline constexpr llvm::StringLiteral kWrapUnitAttr = "partopt.wrap_unit";

/// On a collective of which the part of the step is known, "backward" or
/// "update": a gradient's reduction, an updated shard's gather.
inline constexpr llvm::StringLiteral kPhaseAttr = "partopt.phase";

/// On what gathers a stored parameter for use; the text "backward" where the
/// backward pass has a gather of its own.
inline constexpr llvm::StringLiteral kStorageGatherAttr =
    "partopt.storage_gather";

} // namespace partopt

#endif // PARTOPT_SUPPORT_UNITATTRIBUTES_H
