// Passes of the stage Shard.

#ifndef PARTOPT_SHARD_PASSES_H
#define PARTOPT_SHARD_PASSES_H

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Shard/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "partopt/Shard/Passes.h.inc"

/// Shardy's pipeline of the same name up to `sdy-close-shardings`.
void buildSdyPropagationPipeline(mlir::OpPassManager &pm);

/// The phase `propagate`: every tensor of a module with a mesh gets one closed
/// sharding; constraints become reshards.
/// `storage`: auto, keep or compute, see `partopt-separate-storage`.
/// `reshardAfterForward`: see `partopt-reshard-after-forward`.
void buildPropagatePipeline(mlir::OpPassManager &pm,
                            llvm::StringRef storage = "auto",
                            bool reshardAfterForward = false);

/// Registers the passes and pipelines of the stage.
void registerShardPassesAndPipelines();

} // namespace partopt

#endif // PARTOPT_SHARD_PASSES_H
