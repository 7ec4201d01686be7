// partopt-recompute: the backward part computes marked values of the forward
// part anew, from those that are kept, right before it needs them.

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Analysis/TrainingStep.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_RECOMPUTE
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class Recomputer {
public:
  explicit Recomputer(func::FuncOp func)
      : block(func.getBody().front()), step(func) {}

  void run();

  unsigned numOps = 0;

private:
  bool isMarked(Value value) {
    Operation *def = value.getDefiningOp();
    return def && def->hasAttr(kRecomputeAttr);
  }
  void sinkBackward();
  void copyFor(Operation *user);
  Value copyOf(Value value, OpBuilder &builder);
  Value keptApart(Value value, OpBuilder &builder);

  Block &block;
  TrainingStep step;
  IRMapping copies;
};

/// `value` behind a barrier, so that nothing merges what is made of it with
/// what the forward part made. Constants need none.
Value Recomputer::keptApart(Value value, OpBuilder &builder) {
  Operation *def = value.getDefiningOp();
  if (def && def->getNumOperands() == 0)
    return value;
  auto barrier = builder.create<stablehlo::OptimizationBarrierOp>(
      value.getLoc(), TypeRange{value.getType()}, ValueRange{value});
  barrier->setAttr(kCopyAttr, builder.getUnitAttr());
  sdy::setSharding(barrier->getResult(0), sdy::getSharding(value));
  return barrier->getResult(0);
}

/// Everything that `value` takes is made before it, operands first.
Value Recomputer::copyOf(Value value, OpBuilder &builder) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value at = open.back();
    if (copies.contains(at)) {
      open.pop_back();
      continue;
    }
    if (!isMarked(at)) {
      copies.map(at, keptApart(at, builder));
      open.pop_back();
      continue;
    }
    Operation *def = at.getDefiningOp();
    size_t before = open.size();
    for (Value operand : def->getOperands())
      if (!copies.contains(operand))
        open.push_back(operand);
    if (open.size() != before)
      continue;
    Operation *clone = builder.clone(*def, copies);
    clone->removeAttr(kRecomputeAttr);
    clone->setAttr(kCopyAttr, builder.getUnitAttr());
    ++numOps;
    open.pop_back();
  }
  return copies.lookup(value);
}

void Recomputer::copyFor(Operation *user) {
  OpBuilder builder(user);
  user->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (isMarked(operand.get()) &&
          step.isForward(operand.get().getDefiningOp()))
        operand.set(copyOf(operand.get(), builder));
  });
}

/// Front ends write what only the backward part reads (a derivative, a mask)
/// where its operands are at hand, within the forward part. Each goes to its
/// first reader, else its operands would be computed again there.
void Recomputer::sinkBackward() {
  Operation *last = nullptr;
  for (Operation &op : block.without_terminator())
    if (step.isForward(&op))
      last = &op;
  SmallVector<Operation *> early;
  for (Operation &op : block.without_terminator()) {
    if (&op == last)
      break;
    if (!step.isForward(&op) && isMemoryEffectFree(&op))
      early.push_back(&op);
  }
  for (Operation *op : llvm::reverse(early)) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *at = block.findAncestorOpInBlock(*user);
      if (!first || at->isBeforeInBlock(first))
        first = at;
    }
    if (first)
      op->moveBefore(first);
  }
}

void Recomputer::run() {
  sinkBackward();
  SmallVector<Operation *> backward;
  for (Operation &op : block.without_terminator())
    if (!step.isForward(&op))
      backward.push_back(&op);
  for (Operation *op : backward)
    copyFor(op);
  for (Operation &op : block)
    op.removeAttr(kRecomputeAttr);
}

struct RecomputePass : partopt::impl::RecomputeBase<RecomputePass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      bool any = false;
      func.walk([&](Operation *op) { any |= op->hasAttr(kRecomputeAttr); });
      if (!any || !func.getBody().hasOneBlock())
        continue;
      keepProgramOrder(func);
      Recomputer recomputer(func);
      recomputer.run();
      numOps += recomputer.numOps;
      addNote(func, "recompute",
              "ops of the forward part that the backward part computes anew "
              "instead of keeping their results: " +
                  Twine(recomputer.numOps));
    }
  }
};

} // namespace
