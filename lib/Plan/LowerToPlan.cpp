//===- LowerToPlan.cpp - partopt-lower-to-plan ----------------------------===//
//
// Model, placement, emission: each is a step of its own; this one joins them.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"
#include "ProgramModel.h"

#include "dialects/Plan/Plan.h"

#include "partopt/Plan/Passes.h"
#include "partopt/Support/KernelAttributes.h"
#include "partopt/Support/StageAttributes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_LOWERTOPLAN
#include "partopt/Plan/PlanPasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The public function of the module, which is its entry, or one for each rank
/// of a pipeline.
FailureOr<SmallVector<func::FuncOp>> findEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function->hasAttr(kKernelAttr))
      continue;
    bool isRank = function->hasAttr(kPipelineRankAttr);
    if (!entries.empty() &&
        (!isRank || !entries.front()->hasAttr(kPipelineRankAttr)))
      return function.emitOpError()
             << "is a second public function beside '"
             << entries.front().getSymName() << "'; a module has one entry";
    entries.push_back(function);
  }
  if (entries.empty())
    return module.emitError("has no public function to make a plan of");
  return entries;
}

struct LowerToPlanPass
    : public partopt::impl::LowerToPlanBase<LowerToPlanPass> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = findEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    ModuleNumbers numbers(getOperation());
    SendSlots sends = findSendSlots(getOperation());
    for (func::FuncOp entry : *entries)
      if (failed(lower(entry, sends, numbers)))
        return signalPassFailure();
    numbers.kernels.eraseUnused(getOperation());
  }

  LogicalResult lower(func::FuncOp entry, const SendSlots &sends,
                      ModuleNumbers &numbers) {
    FailureOr<ProgramModel> model = ProgramModel::build(entry, sends);
    if (failed(model))
      return failure();
    classifyStorages(*model);
    FailureOr<Placement> placement = placeBuffers(*model);
    if (failed(placement) || failed(emitProgram(*model, *placement, numbers)))
      return failure();
    entry.erase();
    instructions += model->instructions.size();
    residentBytes += placement->residentBytes;
    arenaBytes += placement->arenaBytes;
    arenaBound += placement->arenaBound;
    inPlaceResults += placement->inPlaceResults;
    copiedResults += placement->copiedResults;
    return success();
  }
};

} // namespace
