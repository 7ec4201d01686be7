// An optimization barrier for each value: a barrier keeps what is computed
// behind it (recomputation, jax.checkpoint) apart from what it repeats, value
// by value.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Import/Import.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SPLITBARRIERSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

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
  }
};

} // namespace
} // namespace partopt
