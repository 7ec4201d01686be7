// The pipelines of the stage: Shardy's, pass by pass, and partopt's own.

#include "partopt/Shard/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void partopt::buildSdyPropagationPipeline(OpPassManager &pm) {
  // Before constraints are applied: each use of a constant is a value of its
  // own, with its own constraints.
  pm.addPass(createSplitConstants());
  pm.addPass(createApplyShardingConstraints());
  pm.addPass(createUserPriorityPropagate());
  pm.addPass(createMergeConstants());
  pm.addPass(createRemoveShardingGroups());
  pm.addPass(createShardingConstraintToReshard());
  pm.addPass(createUpdateNonDivisibleInputOutputShardings());
  pm.addPass(createRemoveSubAxesInInputOutputShardings());
  pm.addPass(createCloseShardings());
}

void partopt::buildPropagatePipeline(OpPassManager &pm, StringRef storage,
                                     bool reshardAfterForward) {
  // What an output that takes an input's buffer is to look like, before
  // anything else reaches it.
  pm.addPass(createAliasResultShardings());
  pm.addPass(createSplitConstants());
  pm.addPass(createApplyShardingConstraints());
  // Sees the program as propagation will, with the constraints applied.
  SeparateStorageOptions storageOptions;
  storageOptions.storage = storage.str();
  pm.addPass(createSeparateStorage(storageOptions));
  pm.addPass(createUserPriorityPropagate());
  pm.addPass(createMergeConstants());
  pm.addPass(createRemoveShardingGroups());
  pm.addPass(createShardingConstraintToReshard());
  // Every dimension is open for axes in time, whatever binds it in space.
  pm.addPass(createPropagateTime());
  // Unlike in Shardy's pipeline inputs and outputs keep shardings that do not
  // divide: shards are padded.
  pm.addPass(createCloseShardings());
  pm.addPass(createCompleteShardings());
  // Copies take the shardings of the originals, and are users of gathers in the
  // backward part.
  pm.addPass(createRecompute());
  // Last: copies of gathers and of what is made of them take the shardings that
  // the originals have been given.
  if (reshardAfterForward)
    pm.addPass(createReshardAfterForward());
}

void partopt::registerShardPassesAndPipelines() {
  registerShardPasses();
  PassPipelineRegistration<>("sdy-propagation-pipeline",
                             "Shardy's propagation with all that surrounds it",
                             buildSdyPropagationPipeline);
  PassPipelineRegistration<>(
      "partopt-propagate", "From annotations to one sharding per value",
      [](OpPassManager &pm) { buildPropagatePipeline(pm); });
}
