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

/// Copies of constant computations, one per use from outside. A computation
/// stays as it is for its first use; within one copy, values that are used
/// twice stay one value, or a chain of n such steps would become 2^n ops.
class Splitter {
public:
  explicit Splitter(const DenseSet<Operation *> &cheap) : cheap(cheap) {}

  void split(OpOperand &use) {
    Operation *root = use.get().getDefiningOp();
    if (!root || !cheap.contains(root) || isScalar(use.get()))
      return;
    SmallVector<Operation *> computation = computationOf(root);
    if (llvm::none_of(computation,
                      [&](Operation *op) { return taken.contains(op); })) {
      taken.insert(computation.begin(), computation.end());
      return;
    }
    IRMapping mapping;
    for (Operation *op : computation) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      builder.clone(*op, mapping);
      ++numCopies;
    }
    use.set(mapping.lookup(use.get()));
  }

  unsigned numCopies = 0;

private:
  /// `root` and what it is computed from, scalars excepted, operands first.
  SmallVector<Operation *> computationOf(Operation *root) {
    SmallVector<Operation *> order;
    DenseSet<Operation *> seen{root};
    SmallVector<std::pair<Operation *, unsigned>> stack{{root, 0}};
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next == op->getNumOperands()) {
        order.push_back(op);
        stack.pop_back();
        continue;
      }
      Value operand = op->getOperand(next++);
      Operation *def = operand.getDefiningOp();
      if (def && cheap.contains(def) && !isScalar(operand) &&
          seen.insert(def).second)
        stack.push_back({def, 0});
    }
    return order;
  }

  const DenseSet<Operation *> &cheap;
  DenseSet<Operation *> taken;
};

struct SplitConstantsPass
    : partopt::impl::SplitConstantsBase<SplitConstantsPass> {
  void runOnOperation() override {
    DenseSet<Operation *> cheap;
    SmallVector<Operation *> others;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && isCheapOp(op, cheap))
        cheap.insert(op);
      else
        others.push_back(op);
    });
    Splitter splitter(cheap);
    for (Operation *op : others)
      for (OpOperand &use : op->getOpOperands())
        splitter.split(use);
    numCopies += splitter.numCopies;
  }
};
} // namespace
