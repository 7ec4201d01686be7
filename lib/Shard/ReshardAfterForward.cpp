// partopt-reshard-after-forward: parameters that are stored sharded are
// gathered a second time for the backward pass, so that their whole copy need
// not live from the one to the other.

#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_RESHARDAFTERFORWARD
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The ops of `block` that `value` depends on.
DenseSet<Operation *> dependencesOf(Block &block, Value value) {
  DenseSet<Operation *> cone;
  SmallVector<Operation *> work;
  auto visit = [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    if (def)
      def = block.findAncestorOpInBlock(*def);
    if (def && cone.insert(def).second)
      work.push_back(def);
  };
  visit(value);
  while (!work.empty())
    work.pop_back_val()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        visit(operand);
    });
  return cone;
}

/// One function's gathers, split between what the loss depends on and the rest.
class Splitter {
public:
  explicit Splitter(func::FuncOp func)
      : func(func), block(func.getBody().front()) {
    for (Operation &op : block)
      if (op.hasAttr(kStorageGatherAttr))
        gathers.push_back(&op);
  }

  /// The scalar result that most gathers feed, taken with the fewest ops: a
  /// gradient norm beside the loss depends on the backward pass too.
  bool findForward();
  /// Returns true if the gather has a second copy now.
  bool split(Operation *gather);

  SmallVector<Operation *> gathers;

private:
  Operation *userIn(OpOperand &use) {
    return block.findAncestorOpInBlock(*use.getOwner());
  }
  void findBackwardUses(Value value);
  Value copyOf(Value value, OpBuilder &builder, DenseMap<Value, Value> &copies);

  func::FuncOp func;
  Block &block;
  DenseSet<Operation *> forward;
  SmallVector<OpOperand *> backwardUses;
  bool usedForward = false;
};

bool Splitter::findForward() {
  llvm::SmallDenseSet<int64_t> aliased;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (auto alias =
            func.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output"))
      aliased.insert(alias.getInt());
  for (auto [i, result] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getRank() != 0 ||
        !isa<FloatType>(type.getElementType()) || aliased.contains(i))
      continue;
    DenseSet<Operation *> cone = dependencesOf(block, result);
    if (llvm::none_of(gathers, [&](Operation *g) { return cone.contains(g); }))
      continue;
    if (forward.empty() || cone.size() < forward.size())
      forward = std::move(cone);
  }
  return !forward.empty();
}

/// Collects uses after the forward pass of `value` and of what the forward pass
/// makes of it alone, with ops that read nothing else (a transposed weight).
void Splitter::findBackwardUses(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = userIn(use);
    if (!forward.contains(user)) {
      backwardUses.push_back(&use);
      continue;
    }
    usedForward = true;
    if (user == use.getOwner() && user->getNumOperands() == 1 &&
        user->getNumResults() == 1 && user->getNumRegions() == 0 &&
        isMemoryEffectFree(user))
      findBackwardUses(user->getResult(0));
  }
}

/// `value`, which derives from one gather, computed anew.
Value Splitter::copyOf(Value value, OpBuilder &builder,
                       DenseMap<Value, Value> &copies) {
  if (Value made = copies.lookup(value))
    return made;
  Operation *def = value.getDefiningOp();
  bool isGather = def->hasAttr(kStorageGatherAttr);
  Value operand = isGather ? def->getOperand(0)
                           : copyOf(def->getOperand(0), builder, copies);
  Operation *clone = builder.clone(*def);
  clone->setOperand(0, operand);
  if (isGather)
    clone->setAttr(kStorageGatherAttr, builder.getStringAttr(kGatherBackward));
  else
    clone->setAttr(kCopyAttr, builder.getUnitAttr());
  return copies[value] = clone->getResult(0);
}

bool Splitter::split(Operation *gather) {
  backwardUses.clear();
  usedForward = false;
  findBackwardUses(gather->getResult(0));
  OpBuilder marks(gather->getContext());
  gather->setAttr(
      kStorageGatherAttr,
      marks.getStringAttr(usedForward ? kGatherForward : kGatherBackward));
  if (!usedForward || backwardUses.empty())
    return false;
  Operation *first = userIn(*backwardUses.front());
  for (OpOperand *use : backwardUses)
    if (Operation *user = userIn(*use); user->isBeforeInBlock(first))
      first = user;
  OpBuilder builder(first);
  DenseMap<Value, Value> copies;
  for (OpOperand *use : backwardUses)
    use->set(copyOf(use->get(), builder, copies));
  return true;
}

struct ReshardAfterForwardPass
    : partopt::impl::ReshardAfterForwardBase<ReshardAfterForwardPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock())
        continue;
      Splitter splitter(func);
      if (splitter.gathers.empty())
        continue;
      if (!splitter.findForward()) {
        addWarning(func, "reshard_after_forward",
                   "no scalar result depends on the gathered parameters, so "
                   "forward and backward cannot be told apart: each parameter "
                   "is gathered once and kept");
        continue;
      }
      for (Operation *gather : splitter.gathers)
        numGatheredAgain += splitter.split(gather);
    }
  }
};

} // namespace
