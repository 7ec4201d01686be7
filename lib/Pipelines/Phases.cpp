//===- Phases.cpp - The phases of a compilation ---------------------------===//
//
// The table, and the passes of each phase with the reason for each one's
// place.
//
//===----------------------------------------------------------------------===//

#include "partopt/Pipelines/Phases.h"

#include "partopt/Codegen/Passes.h"
#include "partopt/Import/Import.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Plan/Passes.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Strategy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ErrorHandling.h"

using namespace partopt;

static void addImport(mlir::OpPassManager &pm, const CompileOptions &options) {
  ImportOptions import;
  import.entry = options.entry;
  if (!options.mesh.empty())
    import.mesh = options.meshText();
  import.roles = options.argRoles;
  import.carries = options.carries;
  import.loss = options.loss;
  import.layers = options.layers;
  import.unpartitioned = options.unpartitioned;
  buildImportPipeline(pm, import);
}

static void addMicrobatches(mlir::OpPassManager &pm,
                            const CompileOptions &options) {
  // A pipeline runs one microbatch too.
  if (options.microbatches <= 1 && !options.strategy.pipeline)
    return;
  ApplyMicrobatchesPassOptions recipe;
  recipe.axis = options.axes.at("micro");
  recipe.count = options.microbatches;
  recipe.major = options.strategy.expert;
  if (options.batchStatistics != "local")
    recipe.batchStatistics = options.batchStatistics;
  if (options.batchStatistics == "micro")
    recipe.groups = std::max<int64_t>(options.statisticGroups, 1);
  recipe.accumulate =
      options.accumulate == "auto" ? "full" : options.accumulate;
  pm.addPass(createApplyMicrobatchesPass(recipe));
}

static void addStrategy(mlir::OpPassManager &pm,
                        const CompileOptions &options) {
  // Part of the program, with and without a strategy.
  if (options.expertLoad)
    pm.addPass(createCountExpertLoadPass());
  // Experts have one dimension to split, other recipes take what is left.
  bool batchOverExperts = options.strategy.expert &&
                          options.axes.at("expert") != options.axes.at("data");
  if (options.strategy.expert) {
    ApplyExpertParallelPassOptions recipe;
    recipe.axis = options.axes.at("expert");
    recipe.batch = !options.strategy.data;
    recipe.name = options.strategy.name;
    pm.addPass(createApplyExpertParallelPass(recipe));
  }
  // Before what is stored in shards, which is cut along another dimension.
  if (options.strategy.tensor) {
    ApplyTensorParallelPassOptions recipe;
    recipe.axis = options.axes.at("model");
    recipe.sequence = options.strategy.sequence;
    recipe.name = options.strategy.name;
    pm.addPass(createApplyTensorParallelPass(recipe));
  }
  // After tensor parallelism, whose heads it splits further, and before what is
  // stored in shards.
  if (options.strategy.context) {
    ApplyContextParallelPassOptions recipe;
    recipe.axis = options.axes.at("context");
    recipe.form = options.contextForm;
    recipe.name = options.strategy.name;
    pm.addPass(createApplyContextParallelPass(recipe));
  }
  if (options.strategy.data) {
    ApplyDataParallelPassOptions recipe;
    recipe.axis = options.axes.at("data");
    if (options.strategy.data->hasReplicas)
      recipe.replicaAxis = options.axes.at("replica");
    if (batchOverExperts)
      recipe.innerAxis = options.axes.at("expert");
    recipe.zeroStage = options.strategy.data->zeroStage;
    recipe.name = options.strategy.name;
    pm.addPass(createApplyDataParallelPass(recipe));
  }
  addMicrobatches(pm, options);
  // Any file may store parameters in shards, with a recipe or without.
  AssignWrapUnitsPassOptions units;
  units.wrap = options.wrap;
  units.bytes = options.wrapBytes;
  pm.addPass(createAssignWrapUnitsPass(units));
  // "auto:layer" is auto that has come to layer.
  llvm::StringRef recompute = options.recompute;
  recompute.consume_front("auto:");
  if (recompute == "selective" || recompute == "layer")
    pm.addPass(createChooseRecomputePass(recompute.str()));
  // After the recipe, which checks the batch that the groups are cut from.
  if (options.batchStatistics == "local")
    pm.addPass(createLocalBatchStatisticsPass(options.axes.at("data"),
                                              options.statisticGroups));
}

static void addPropagate(mlir::OpPassManager &pm,
                         const CompileOptions &options) {
  buildPropagatePipeline(pm, options.storage.empty() ? "auto" : options.storage,
                         options.reshardAfterForward);
}

static void addPartition(mlir::OpPassManager &pm, const CompileOptions &) {
  buildPartitionPipeline(pm);
}

static MapMeshOptions mappingOptions(const CompileOptions &options,
                                     bool linksOnly) {
  MapMeshOptions mapping;
  mapping.machine = options.machine.text();
  mapping.axisOrder = options.axisOrder;
  mapping.linksOnly = linksOnly;
  return mapping;
}

static void addOptimise(mlir::OpPassManager &pm,
                        const CompileOptions &options) {
  // Slices at the device's offset are plain ops from here on; folding comes
  // after, so that the splats and offsets of padding and masks are shared.
  pm.addNestedPass<mlir::func::FuncOp>(createExpandShardPass());
  pm.addPass(mlir::createCanonicalizerPass());
  pm.addPass(mlir::createCSEPass());
  // Before loops in time, in which a step's parts are not told apart.
  if (options.sequenceRegather == "yes" ||
      options.sequenceRegather == "auto:yes")
    pm.addNestedPass<mlir::func::FuncOp>(
        createRegatherActivationsPass(options.axes.at("model")));
  // Before anything is merged or moved: loops bound where ops may go.
  // What needs no second look at the batch is out of the way first.
  pm.addNestedPass<mlir::func::FuncOp>(createDeferFactorsPass());
  pm.addNestedPass<mlir::func::FuncOp>(createMicroStatisticsPass());
  pm.addNestedPass<mlir::func::FuncOp>(createShardAccumulatorsPass());
  pm.addNestedPass<mlir::func::FuncOp>(createFormTimeLoopsPass());
  if (options.strategy.pipeline)
    pm.addNestedPass<mlir::func::FuncOp>(createFormWholeLoop());
  // Loops in time are formed, in which a ring is a loop inside; gathers still
  // have the dimension of keys.
  pm.addNestedPass<mlir::func::FuncOp>(createFormRingPass());
  // Segments are cut out of the loop over microbatches; from here on each rank
  // of a pipeline has a program of its own.
  if (options.strategy.pipeline) {
    CutStagesOptions cut;
    cut.stages = options.pipeline.stages;
    cut.layers = options.pipeline.stageLayers;
    cut.begins = options.pipeline.stageBegins;
    cut.memory = int64_t(options.pipeline.stageMemory);
    cut.kept = options.pipeline.kept;
    pm.addNestedPass<mlir::func::FuncOp>(createCutStages(cut));
    pm.addNestedPass<mlir::func::FuncOp>(createSplitStacks());
    FormStagesOptions form;
    form.axis = options.axes.at("pipe");
    form.ranks = options.pipeline.ranks;
    form.upAndDown = options.pipeline.upAndDown;
    form.fused = options.pipeline.fused;
    pm.addPass(createFormStages(form));
    pm.addPass(createVerifyStages());
  }
  // Buckets merge collectives along dimension 0, so the form comes first.
  pm.addNestedPass<mlir::func::FuncOp>(createNormaliseCollectives());
  // Before collectives merge, which need one type each.
  NarrowCollectivesOptions types;
  types.gradReduce = options.gradReduceType;
  types.paramGather = options.paramGatherType;
  pm.addNestedPass<mlir::func::FuncOp>(createNarrowCollectives(types));
  // Before buckets, which are of what has no unit.
  pm.addNestedPass<mlir::func::FuncOp>(createMergeUnits());
  if (options.bucketAuto) // by the links that the axes will use
    pm.addPass(createMapMesh(mappingOptions(options, /*linksOnly=*/true)));
  BucketAllReduceOptions buckets;
  buckets.machine = options.machine.text();
  buckets.bucketMib = double(options.bucketBytes) / (1 << 20);
  buckets.automatic = options.bucketAuto;
  buckets.firstBucketMib = std::min(buckets.bucketMib, 1.0);
  pm.addNestedPass<mlir::func::FuncOp>(createBucketAllReduce(buckets));
}

static void addKernels(mlir::OpPassManager &pm, const CompileOptions &options) {
  FormKernelsPassOptions form;
  form.isGpu = !options.gpuArchs.empty();
  pm.addPass(createFormKernelsPass(form));
  // Kernels are final now; the plan phase decides what is written in place.
  MarkOverwritesPassOptions overwrites;
  overwrites.isGpu = form.isGpu;
  pm.addPass(createMarkOverwritesPass(overwrites));
}

static void addSchedule(mlir::OpPassManager &pm,
                        const CompileOptions &options) {
  // Collectives are final, and what they take depends on where axes lie.
  pm.addPass(createMapMesh(mappingOptions(options, /*linksOnly=*/false)));
  ScheduleCollectivesOptions schedule;
  schedule.prefetch = options.prefetch;
  schedule.machine = options.machine.text();
  pm.addNestedPass<mlir::func::FuncOp>(createScheduleCollectives(schedule));
  // Sections are in order; what is between segments goes in front of them.
  if (options.strategy.pipeline) {
    OrderSegmentsOptions order;
    order.schedule = options.pipeline.schedule;
    order.machine = options.machine.text();
    order.caps = options.pipeline.caps;
    pm.addPass(createOrderSegments(order));
  }
}

static void addPlan(mlir::OpPassManager &pm, const CompileOptions &) {
  pm.addPass(createLowerToPlan());
}

static void verifyImported(mlir::OpPassManager &pm) {
  pm.addPass(createVerifyImportedPass());
}
static void verifyPropagated(mlir::OpPassManager &pm) {
  pm.addPass(createVerifyPropagated());
}
static void verifyPartitioned(mlir::OpPassManager &pm) {
  pm.addPass(createVerifyPartitionedPass());
}
static void verifyOptimised(mlir::OpPassManager &pm) {
  pm.addNestedPass<mlir::func::FuncOp>(createVerifyOptimised());
}
static void verifyKernelForm(mlir::OpPassManager &pm) {
  pm.addPass(createVerifyKernelFormPass());
}
static void verifyScheduled(mlir::OpPassManager &pm) {
  pm.addNestedPass<mlir::func::FuncOp>(createVerifyScheduled());
}

static constexpr PhaseSpec table[] = {
    {Phase::Import, "import",
     "one function without calls; every argument has a role and a name",
     "partopt-verify-imported", "import", addImport, verifyImported},
    {Phase::Strategy, "strategy",
     "the mesh and the strategy's shardings are annotated",
     "partopt-verify-imported", "strategy", addStrategy, verifyImported},
    {Phase::Propagate, "propagate",
     "every value has one closed sharding; parameters may be stored otherwise",
     "partopt-verify-propagated", "propagate", addPropagate, verifyPropagated},
    {Phase::Partition, "partition",
     "local shapes; communication is explicit comm operations",
     "partopt-verify-partitioned", "partition", addPartition,
     verifyPartitioned},
    {Phase::Optimise, "optimise",
     "collectives are merged into buckets and in contiguous form",
     "partopt-verify-optimised", "optimise", addOptimise, verifyOptimised},
    {Phase::Kernels, "kernels",
     "only kernel calls, BLAS dots, views and collectives are left",
     "partopt-verify-kernel-form", "kernels", addKernels, verifyKernelForm},
    {Phase::Schedule, "schedule",
     "collectives are started early and waited for late",
     "partopt-verify-scheduled", "schedule", addSchedule, verifyScheduled},
    {Phase::Plan, "plan", "every buffer has an offset and a lifetime", "",
     "plan", addPlan},
    {Phase::Codegen, "codegen", "the plan holds the kernels' object code", "",
     "codegen", nullptr},
};

llvm::ArrayRef<PhaseSpec> partopt::phaseTable() { return table; }

const PhaseSpec *partopt::findPhase(llvm::StringRef name) {
  for (const PhaseSpec &spec : table)
    if (spec.name == name)
      return &spec;
  return nullptr;
}

void partopt::buildPipeline(mlir::OpPassManager &manager, Phase first,
                            Phase last, const CompileOptions &options) {
  for (const PhaseSpec &spec : table) {
    if (spec.phase < first || spec.phase > last || !spec.addPasses)
      continue;
    spec.addPasses(manager, options);
    if (spec.addVerify)
      spec.addVerify(manager);
  }
}
