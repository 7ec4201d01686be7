// sdy-constant-or-scalar-splitter: gives each use of a constant its own copy,
// so that the uses can be sharded differently at no cost.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SPLITCONSTANTS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Ops that any device can compute from nothing: constants, and cheap ops of
/// constants or of one scalar. `cheap` holds those found so far.
static bool isCheap(Operation *op, const DenseSet<Operation *> &cheap) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp, sdy::ConstantOp>(op))
    return true;
  bool expands = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op);
  if (expands && isScalar(op->getOperand(0)))
    return true;
  if (!expands && !isa<stablehlo::SliceOp>(op) &&
      !op->hasTrait<stablehlo::Elementwise>())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return cheap.contains(operand.getDefiningOp());
  });
}

namespace {
struct SplitConstantsPass
    : partopt::impl::SplitConstantsBase<SplitConstantsPass> {
  void runOnOperation() override {
    DenseSet<Operation *> cheap;
    SmallVector<Operation *> inOrder;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && isCheap(op, cheap)) {
        cheap.insert(op);
        inOrder.push_back(op);
      }
    });
    // Consumers first: the copies of an op are consumers of its operands.
    for (Operation *op : llvm::reverse(inOrder))
      split(op);
  }

  /// Leaves the first use to `op` itself and gives every other one a copy.
  void split(Operation *op) {
    Value result = op->getResult(0);
    if (isScalar(result) || result.use_empty())
      return;
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    // Use lists start with the last use.
    for (OpOperand *use : llvm::ArrayRef(uses).drop_back()) {
      use->set(builder.clone(*op)->getResult(0));
      ++numCopies;
    }
  }
};
} // namespace
