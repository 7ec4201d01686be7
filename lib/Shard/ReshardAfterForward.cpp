// partopt-reshard-after-forward: parameters that are stored sharded are
// gathered a second time for the backward pass, so that their whole copy need
// not live from the one to the other.

#include "partopt/Analysis/BackwardCopy.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Analysis/TrainingStep.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_RESHARDAFTERFORWARD
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// True if the gather has a second copy now.
bool split(Operation *gather, const TrainingStep &step) {
  BackwardCopy made = copyForBackward(
      gather, [&](Operation *op) { return step.feedsLoss(op); });
  OpBuilder marks(gather->getContext());
  gather->setAttr(
      kStorageGatherAttr,
      marks.getStringAttr(made.usedForward ? kGatherForward : kGatherBackward));
  if (!made.copy)
    return false;
  made.copy->setAttr(kStorageGatherAttr, marks.getStringAttr(kGatherBackward));
  for (Operation *derived : made.derived)
    derived->setAttr(kCopyAttr, marks.getUnitAttr());
  return true;
}

struct ReshardAfterForwardPass
    : partopt::impl::ReshardAfterForwardBase<ReshardAfterForwardPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock())
        continue;
      SmallVector<Operation *> gathers;
      for (Operation &op : func.front())
        if (op.hasAttr(kStorageGatherAttr))
          gathers.push_back(&op);
      if (gathers.empty())
        continue;
      TrainingStep step(func);
      if (step.lossResult() < 0) {
        addWarning(func, "reshard_after_forward",
                   "no scalar result depends on the parameters, so forward and "
                   "backward cannot be told apart: each parameter is gathered "
                   "once and kept");
        continue;
      }
      for (Operation *gather : gathers)
        numGatheredAgain += split(gather, step);
    }
  }
};

} // namespace
