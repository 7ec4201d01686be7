// How the programs of a pipeline's ranks say what they are.

#ifndef PARTOPT_SUPPORT_STAGEATTRIBUTES_H
#define PARTOPT_SUPPORT_STAGEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace partopt {

/// On an op of the loop over microbatches, and on a segment's loop: the
/// pipeline stage that runs it, from 0. An op without it is run by whoever
/// needs it.
inline constexpr llvm::StringLiteral kStageAttr = "partopt.stage";
/// Beside it: "F", "I", "W" or "B", the part of the stage that it is (forward,
/// the gradient that the stage before waits for, what only feeds accumulators,
/// both gradients).
inline constexpr llvm::StringLiteral kStagePartAttr = "partopt.stage_part";

/// On a function: the rank of the pipeline whose program it is, from 0.
inline constexpr llvm::StringLiteral kPipelineRankAttr = "partopt.rank";
/// Beside it: the mesh axis along which the ranks lie.
inline constexpr llvm::StringLiteral kPipelineAxisAttr =
    "partopt.pipeline_axis";
/// On an argument or result of such a function: its number in the program of
/// all ranks.
inline constexpr llvm::StringLiteral kArgumentNumberAttr = "partopt.argument";
inline constexpr llvm::StringLiteral kResultNumberAttr = "partopt.result";

/// On an argument or result that is a part of one of the whole program: its
/// first row there, dimension 0; it has as many as its own type.
inline constexpr llvm::StringLiteral kFirstRowAttr = "partopt.first_row";

/// On such a function: how many results the program of all ranks has.
inline constexpr llvm::StringLiteral kResultCountAttr = "partopt.results";

/// On such a function: in which order its segments' iterations run, as pairs of
/// a loop's number among all loops of the function and an iteration.
inline constexpr llvm::StringLiteral kTurnsAttr = "partopt.turns";

} // namespace partopt

#endif // PARTOPT_SUPPORT_STAGEATTRIBUTES_H
