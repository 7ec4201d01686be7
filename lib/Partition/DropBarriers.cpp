// Values go past optimization barriers: nothing in this version keeps what is
// computed again apart from what it repeats.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Partition/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_DROPBARRIERSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

struct DropBarriers : partopt::impl::DropBarriersPassBase<DropBarriers> {
  void runOnOperation() override {
    SmallVector<stablehlo::OptimizationBarrierOp> barriers;
    getOperation().walk(
        [&](stablehlo::OptimizationBarrierOp op) { barriers.push_back(op); });
    if (barriers.empty())
      return;
    barriers.front().emitWarning()
        << "recomputation (jax.checkpoint) is merged with what it repeats in "
           "this version: the values are the same, the memory is that of the "
           "model without it ("
        << barriers.size() << " barriers)";
    for (stablehlo::OptimizationBarrierOp op : barriers) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createDropBarriersPass() {
  return std::make_unique<DropBarriers>();
}
