// The partition stage as one pipeline.

#include "partopt/Partition/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void partopt::buildPartitionPipeline(mlir::OpPassManager &pm) {
  pm.addPass(createInsertReshardsPass());
  // Equal reshards and constants made anew for several uses are shared; only
  // now, since sharing constants earlier would tie their layouts together.
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createPartitionPass());
  // Identical index arithmetic and gathers of different uses.
  pm.addPass(mlir::createCSEPass());
  pm.addPass(createVerifyPartitionedPass());
}
