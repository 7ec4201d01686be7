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

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_LOWERTOPLAN
#include "partopt/Plan/PlanPasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The public function of the module, which is its entry.
FailureOr<func::FuncOp> findEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function->hasAttr(kKernelAttr))
      continue;
    if (entry)
      return function.emitOpError()
             << "is a second public function beside '" << entry.getSymName()
             << "'; a module has one entry";
    entry = function;
  }
  if (!entry)
    return module.emitError("has no public function to make a plan of");
  return entry;
}

struct LowerToPlanPass
    : public partopt::impl::LowerToPlanBase<LowerToPlanPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = findEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    FailureOr<ProgramModel> model = ProgramModel::build(*entry);
    if (failed(model))
      return signalPassFailure();
    classifyStorages(*model);
    FailureOr<Placement> placement = placeBuffers(*model);
    if (failed(placement))
      return signalPassFailure();
    if (failed(emitProgram(*model, *placement)))
      return signalPassFailure();
    (*entry).erase();
    instructions += model->instructions.size();
    residentBytes += placement->residentBytes;
    arenaBytes += placement->arenaBytes;
    arenaBound += placement->arenaBound;
    inPlaceResults += placement->inPlaceResults;
    copiedResults += placement->copiedResults;
  }
};

} // namespace
