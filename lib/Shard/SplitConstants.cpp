// sdy-constant-or-scalar-splitter: gives each use of a constant its own copy,
// so that the uses can be sharded differently at no cost.

#include "partopt/Analysis/ProgramValues.h"
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

namespace {
struct SplitConstantsPass
    : partopt::impl::SplitConstantsBase<SplitConstantsPass> {
  void runOnOperation() override {
    DenseSet<Operation *> cheap;
    SmallVector<Operation *> inOrder;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && isCheapOp(op, cheap)) {
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
