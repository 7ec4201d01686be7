// sdy-constant-or-scalar-merger: one copy for all uses of a constant that ended
// with the same sharding.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_MERGECONSTANTS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {
/// Equal ops are those that differ in their location only.
struct SameOp : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(Operation *op) {
    return OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(Operation *a, Operation *b) {
    if (a == b)
      return true;
    if (a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() ||
        b == getTombstoneKey())
      return false;
    return OperationEquivalence::isEquivalentTo(
        a, b, OperationEquivalence::IgnoreLocations);
  }
};

bool isMergeable(Operation *op) {
  return isa<stablehlo::ConstantOp, stablehlo::IotaOp, sdy::ConstantOp,
             stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::SliceOp>(op) ||
         op->hasTrait<stablehlo::Elementwise>();
}

struct MergeConstantsPass
    : partopt::impl::MergeConstantsBase<MergeConstantsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](Block *block) { merge(*block); });
  }

  void merge(Block &block) {
    llvm::DenseSet<Operation *, SameOp> known;
    llvm::DenseSet<Operation *> constant;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getNumResults() != 1 || !isMergeable(&op))
        continue;
      bool fromConstants = llvm::all_of(op.getOperands(), [&](Value operand) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        return (type && type.getRank() == 0 && op.getNumOperands() == 1) ||
               constant.contains(operand.getDefiningOp());
      });
      if (!fromConstants)
        continue;
      auto [it, isNew] = known.insert(&op);
      if (isNew) {
        constant.insert(&op);
        continue;
      }
      op.replaceAllUsesWith(*it);
      op.erase();
      ++numMerged;
    }
  }
};
} // namespace
