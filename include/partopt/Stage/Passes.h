// The stage cut: a step's local program as a chain of pipeline segments.

#ifndef PARTOPT_STAGE_PASSES_H
#define PARTOPT_STAGE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace partopt {

/// On an op of the loop over microbatches: the pipeline stage that runs it,
/// from 0. Without it, whoever needs the op's results runs it.
inline constexpr llvm::StringLiteral kStageAttr = "partopt.stage";
/// Beside it: "F", "I" or "W", the part of the stage that runs it (forward, the
/// gradient that the stage before waits for, what only feeds accumulators).
inline constexpr llvm::StringLiteral kStagePartAttr = "partopt.stage_part";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partopt/Stage/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_STAGE_PASSES_H
