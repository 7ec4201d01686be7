// An optimization barrier for each value: a barrier keeps what is computed
// behind it (recomputation, jax.checkpoint) apart from what it repeats, value
// by value, and a stack of layers' parameters row by row.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Import/Import.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SPLITBARRIERSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

/// Slices of what is behind the barrier become barriers of slices, so that a
/// layer's row of a stack is needed alone.
void splitByRow(stablehlo::OptimizationBarrierOp barrier) {
  for (Operation *user :
       llvm::make_early_inc_range(barrier->getResult(0).getUsers())) {
    auto slice = dyn_cast<stablehlo::SliceOp>(user);
    if (!slice)
      continue;
    OpBuilder builder(slice);
    slice->setOperand(0, barrier->getOperand(0));
    builder.setInsertionPointAfter(slice);
    auto apart = builder.create<stablehlo::OptimizationBarrierOp>(
        barrier.getLoc(), TypeRange{slice.getType()},
        ValueRange{slice->getResult(0)});
    slice->getResult(0).replaceAllUsesExcept(apart->getResult(0), apart);
  }
  if (barrier->use_empty())
    barrier.erase();
}

struct SplitBarriers : impl::SplitBarriersPassBase<SplitBarriers> {
  void runOnOperation() override {
    SmallVector<stablehlo::OptimizationBarrierOp> barriers;
    getOperation().walk([&](stablehlo::OptimizationBarrierOp op) {
      if (op->getNumOperands() != 1)
        barriers.push_back(op);
    });
    for (stablehlo::OptimizationBarrierOp op : barriers) {
      OpBuilder builder(op);
      for (auto [operand, result] :
           llvm::zip(op->getOperands(), op->getResults())) {
        // Tokens order nothing here.
        Value apart = operand;
        if (isa<RankedTensorType>(operand.getType()) && !result.use_empty())
          apart = builder
                      .create<stablehlo::OptimizationBarrierOp>(
                          op.getLoc(), TypeRange{operand.getType()},
                          ValueRange{operand})
                      ->getResult(0);
        result.replaceAllUsesWith(apart);
      }
      op.erase();
    }
    // Backwards: what is read behind a barrier of a barrier passes through
    // both.
    SmallVector<stablehlo::OptimizationBarrierOp> single;
    getOperation().walk(
        [&](stablehlo::OptimizationBarrierOp op) { single.push_back(op); });
    for (stablehlo::OptimizationBarrierOp op : llvm::reverse(single))
      splitByRow(op);
  }
};

} // namespace
} // namespace partopt
