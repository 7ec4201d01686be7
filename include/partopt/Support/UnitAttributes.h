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

/// On what gathers a stored parameter for use: unit, or, where forward and
/// backward part of a step gather it each, which of them this is.
inline constexpr llvm::StringLiteral kStorageGatherAttr =
    "partopt.storage_gather";
inline constexpr llvm::StringLiteral kGatherForward = "forward";
inline constexpr llvm::StringLiteral kGatherBackward = "backward";

/// On a gather of an activation that the forward part gathered before.
inline constexpr llvm::StringLiteral kRegatherAttr = "partopt.regather";

/// On a forward op whose result the backward part computes anew instead of
/// reading it. partopt-recompute takes it away.
inline constexpr llvm::StringLiteral kRecomputeAttr = "partopt.recompute";

/// On a forward op whose result --recompute leaves kept, since what it belongs
/// to computes it anew in its own way.
inline constexpr llvm::StringLiteral kKeepAttr = "partopt.keep";

/// On what makes the keys or the values of an attention whole, where they are
/// to go around the devices in blocks instead: a dictionary with the
/// attention's number, and `required` where no other form may take its place.
inline constexpr llvm::StringLiteral kRingAttr = "partopt.ring";

} // namespace partopt

#endif // PARTOPT_SUPPORT_UNITATTRIBUTES_H
