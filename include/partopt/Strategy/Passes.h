// The strategy stage: recipes that annotate a model for a mesh.

#ifndef PARTOPT_STRATEGY_PASSES_H
#define PARTOPT_STRATEGY_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Strategy/Passes.h.inc"

std::unique_ptr<mlir::Pass>
createApplyMicrobatchesPass(const ApplyMicrobatchesPassOptions &options = {});

std::unique_ptr<mlir::Pass>
createApplyDataParallelPass(const ApplyDataParallelPassOptions &options = {});

std::unique_ptr<mlir::Pass> createApplyTensorParallelPass(
    const ApplyTensorParallelPassOptions &options = {});

std::unique_ptr<mlir::Pass> createApplyExpertParallelPass(
    const ApplyExpertParallelPassOptions &options = {});

std::unique_ptr<mlir::Pass> createCountExpertLoadPass();

std::unique_ptr<mlir::Pass> createApplyContextParallelPass(
    const ApplyContextParallelPassOptions &options = {});

/// `axis`: the mesh axis that the batch is split over. `groups`: of rows; 0: as
/// many as the axis has devices.
std::unique_ptr<mlir::Pass>
createLocalBatchStatisticsPass(std::string axis = "data", int64_t groups = 0);

/// `mode`: "layer" or "selective".
std::unique_ptr<mlir::Pass>
createChooseRecomputePass(const std::string &mode = "selective");

#define GEN_PASS_REGISTRATION
#include "partopt/Strategy/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_STRATEGY_PASSES_H
