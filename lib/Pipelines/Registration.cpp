//===- Registration.cpp - every dialect and every pass --------------------===//
//
// The one list of what partopt is made of. MLIR's own passes are limited to
// those that make sense on a model's IR.
//
//===----------------------------------------------------------------------===//
#include "partopt/Registration.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Analysis/ShardingRuleModels.h"
#include "partopt/Codegen/Codegen.h"
#include "partopt/Codegen/Passes.h"
#include "partopt/Import/Import.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Plan/Passes.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Strategy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

void partopt::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, comm::CommDialect,
                  planir::PlanDialect, sdy::SdyDialect>();
  stablehlo::registerStableHLODialects(registry);
  registerShardingRuleModels(registry);
  registerLocalLoweringModels(registry);
  registerCodegenDialects(registry);
}

void partopt::registerAllPasses() {
  mlir::registerTransformsPasses();
  registerImportPasses();
  registerPartoptStrategyPasses();
  registerPartoptPartitionPasses();
  registerPartoptStagePasses();
  registerPlanPasses();
  registerSchedulePasses();
  registerShardPassesAndPipelines();
  registerCodegenPasses();
}
