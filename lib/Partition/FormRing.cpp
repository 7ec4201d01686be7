// Ring attention: where the strategy has marked gathers of keys and values, the
// attention they feed becomes two loops, forward and backward, in which blocks
// go around the devices instead.

#include "RingLoop.h"

#include "partopt/Partition/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMRINGPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

/// Rewrites one attention. Nothing is changed before all has been checked.
class RingFormer {
public:
  /// `bounds`: of loops that were there before any ring.
  RingFormer(RingCore &core, ArrayRef<Operation *> bounds)
      : core(core), bounds(bounds), b(core.max->getContext()),
        split(core.axes) {}

  std::optional<RingProblem> check();
  void form();

private:
  /// Sums that one loop computes, and what uses them in front of the last.
  struct Group {
    SmallVector<Operation *> sums;
    Operation *last = nullptr;
    SetVector<Operation *> dependents;
  };

  std::optional<RingProblem> checkGroup(Group &group, bool isForward);
  std::optional<RingProblem> checkPlace();
  SmallVector<Value> valuesFromOutside(const Group &group, bool isForward);
  void replace(Operation *sum, Value value, Group &group);
  void moveReady(Group &group);
  void balance();
  SmallVector<Operation *> neededByOthers(ArrayRef<Operation *> sums);
  void formForward();
  void formBackward(Group &group);
  void eraseCore();

  RingCore &core;
  ArrayRef<Operation *> bounds;
  OpBuilder b;
  SplitValues split;
  Group forward;
  SmallVector<Group, 1> backward; ///< those that others need come first
};

/// Loops over microbatches have an attention as a whole inside.
std::optional<RingProblem> RingFormer::checkPlace() {
  Operation *first = core.gathers.front().op, *last = forward.last;
  for (const Group &group : backward)
    if (last->isBeforeInBlock(group.last))
      last = group.last;
  for (Operation *bound : bounds)
    if (isBefore(first, bound) && isBefore(bound, last))
      return RingProblem{first, "microbatches need it in more than one loop"};
  return std::nullopt;
}

/// What a loop reads that has no keys.
SmallVector<Value> RingFormer::valuesFromOutside(const Group &group,
                                                 bool isForward) {
  SmallVector<Value> open, outside;
  llvm::DenseSet<Value> seen;
  if (isForward)
    open.push_back(core.exponential);
  for (Operation *op : group.sums)
    llvm::append_range(open, core.sourcesOf(op));
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!core.keyDim.contains(value)) {
      outside.push_back(value);
      continue;
    }
    if (!op || isa<comm::AllGatherOp>(op) || isa<stablehlo::SliceOp>(op))
      continue;
    // Forward the largest and the factors by query are the loop's own.
    OpOperand *from = isForward ? core.linearOperand(value) : nullptr;
    if (isForward && value == core.exponential)
      open.push_back(core.scores);
    else if (from)
      open.push_back(from->get());
    else
      llvm::append_range(open, op->getOperands());
  }
  return outside;
}

std::optional<RingProblem> RingFormer::checkGroup(Group &group,
                                                  bool isForward) {
  llvm::sort(group.sums, isBefore);
  group.last = group.sums.back();
  llvm::DenseSet<Operation *> sums(group.sums.begin(), group.sums.end());
  llvm::DenseSet<Operation *> after(sums);
  for (Operation *op = group.sums.front(); op != group.last;
       op = op->getNextNode()) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && after.contains(operand.getDefiningOp());
    });
    if (!depends || !after.insert(op).second)
      continue;
    if (!llvm::is_contained(core.ops, op))
      group.dependents.insert(op);
  }
  for (Value value : valuesFromOutside(group, isForward))
    if (Operation *op = value.getDefiningOp(); op && after.contains(op))
      return RingProblem{op, "a sum over all keys is needed before the others "
                             "can be made"};
  return std::nullopt;
}

std::optional<RingProblem> RingFormer::check() {
  forward.sums.push_back(core.max);
  for (const RingCore::Linear &output : core.outputs)
    forward.sums.push_back(output.op);
  if (auto problem = checkGroup(forward, /*isForward=*/true))
    return problem;
  SmallVector<Operation *> left(core.sums);
  for (const RingCore::Scatter &scatter : core.scatters)
    left.push_back(scatter.op);
  while (!left.empty()) {
    Group &group = backward.emplace_back();
    group.sums = neededByOthers(left);
    if (group.sums.empty())
      group.sums = left;
    llvm::erase_if(left, [&](Operation *op) {
      return llvm::is_contained(group.sums, op);
    });
    if (auto problem = checkGroup(group, /*isForward=*/false))
      return problem;
  }
  return checkPlace();
}

/// Sums over keys that others are made of, and that no such sum is needed for.
SmallVector<Operation *>
RingFormer::neededByOthers(ArrayRef<Operation *> sums) {
  SmallVector<Operation *> order(sums);
  llvm::sort(order, isBefore);
  // By op in front of the last sum: the sums that it depends on.
  llvm::DenseMap<Operation *, SetVector<Operation *>> after;
  for (Operation *op = order.front(); op != order.back();
       op = op->getNextNode()) {
    SetVector<Operation *> on;
    if (llvm::is_contained(sums, op))
      on.insert(op);
    else if (!llvm::is_contained(core.ops, op))
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (auto at = after.find(def); at != after.end())
            on.insert(at->second.begin(), at->second.end());
    if (!on.empty())
      after[op] = on;
  }
  SetVector<Operation *> needed, waiting;
  for (Operation *op : order) {
    Group alone;
    alone.sums = {op};
    for (Value value : valuesFromOutside(alone, /*isForward=*/false))
      if (auto at = after.find(value.getDefiningOp()); at != after.end()) {
        needed.insert(at->second.begin(), at->second.end());
        waiting.insert(op);
      }
  }
  SmallVector<Operation *> ready;
  for (Operation *op : needed)
    if (!waiting.contains(op))
      ready.push_back(op);
  return ready;
}

/// Moves what waited for sums that are known now behind the loop.
void RingFormer::moveReady(Group &group) {
  SmallVector<Operation *> waiting(group.dependents.begin(),
                                   group.dependents.end());
  for (Operation *op : waiting) {
    bool isReady = llvm::none_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def && (group.dependents.contains(def) ||
                     llvm::is_contained(group.sums, def));
    });
    if (!isReady)
      continue;
    op->moveBefore(group.last);
    group.dependents.remove(op);
  }
}

void RingFormer::replace(Operation *sum, Value value, Group &group) {
  sum->getResult(0).replaceAllUsesWith(value);
  moveReady(group);
}

void RingFormer::formForward() {
  b.setInsertionPoint(forward.last);
  RingLoop loop(b, core, split, forward.sums);
  RingLoop::Forward made = loop.forward();
  replace(core.max, made.max, forward);
  for (auto [output, sum] : llvm::zip(core.outputs, made.outputs)) {
    output.made = finishOutput(b, core, output, sum);
    replace(output.op, output.made, forward);
  }
}

void RingFormer::formBackward(Group &group) {
  b.setInsertionPoint(group.last);
  RingLoop loop(b, core, split, group.sums);
  for (auto [op, sum] : llvm::zip(group.sums, loop.backward())) {
    Type type = op->getResult(0).getType();
    if (sum.getType() != type)
      sum = b.create<stablehlo::ConvertOp>(op->getLoc(), type, sum);
    replace(op, sum, group);
  }
}

void RingFormer::eraseCore() {
  auto eraseUnused = [](Operation *op) {
    if (op->use_empty())
      op->erase();
  };
  for (const RingCore::Scatter &scatter : core.scatters) {
    Operation *op = scatter.op, *pad = op->getOperand(0).getDefiningOp();
    op->erase();
    if (isa<stablehlo::PadOp>(pad))
      eraseUnused(pad);
  }
  for (Operation *op : llvm::reverse(core.ops))
    eraseUnused(op);
  for (const RingCore::Gather &gather : core.gathers) {
    Operation *cut = gather.whole.getDefiningOp();
    comm::AllGatherOp op = gather.op;
    if (cut != op)
      eraseUnused(cut);
    eraseUnused(op);
  }
}

/// Parts of blocks in zigzag order, where that halves the work.
void RingFormer::balance() {
  if (core.isUneven() || core.width % 2 != 0)
    return;
  if (std::optional<int64_t> dim = causalQueryDim(core))
    findQueryDims(core, *dim);
}

void RingFormer::form() {
  balance();
  formForward();
  for (const RingCore::RowSum &row : core.rowSums) {
    b.setInsertionPoint(row.op);
    row.op->getResult(0).replaceAllUsesWith(rowSum(b, core, row));
  }
  for (Group &group : backward)
    formBackward(group);
  eraseCore();
}

/// The operand of an op that only adds or takes away dimensions of one element;
/// null for others.
Value withoutUnits(Operation *op) {
  if (isa_and_nonnull<stablehlo::ReshapeOp>(op))
    return op->getOperand(0);
  auto spread = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op);
  if (!spread || !llvm::is_sorted(spread.getBroadcastDimensions()))
    return nullptr;
  auto elements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  bool isSame = elements(spread.getOperand()) == elements(spread.getResult());
  return isSame ? spread.getOperand() : Value();
}

/// What a loop over layers has saved in a stack, a layer at a time, is read
/// back as what it was.
void forwardStacks(func::FuncOp func) {
  for (auto op : func.getOps<stablehlo::ReshapeOp>()) {
    Value value = op.getOperand();
    while (value && value.getType() != op.getType())
      value = withoutUnits(value.getDefiningOp());
    if (value)
      op.getResult().replaceAllUsesWith(value);
  }
}

struct FormRing : partopt::impl::FormRingPassBase<FormRing> {
  SmallVector<Operation *> bounds;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    bounds.clear();
    // By attention, in program order.
    llvm::MapVector<Attribute, SmallVector<comm::AllGatherOp>> marked;
    for (Operation &op : getOperation().front())
      if (isa<comm::LoopBeginOp, comm::LoopEndOp>(op))
        bounds.push_back(&op);
    for (auto op : getOperation().getOps<comm::AllGatherOp>())
      if (auto mark = op->getAttr(kRingAttr))
        marked[mark].push_back(op);
    if (!marked.empty())
      forwardStacks(getOperation());
    for (auto &[mark, gathers] : marked)
      if (failed(formOne(mark, gathers)))
        return signalPassFailure();
  }

  bool hasTaps() {
    func::FuncOp func = getOperation();
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (func.getResultAttr(i, kTapAttr))
        return true;
    return false;
  }

  LogicalResult formOne(Attribute mark, ArrayRef<comm::AllGatherOp> gathers) {
    RingCore core;
    std::optional<RingProblem> problem = findRingCore(gathers, core);
    if (!problem) {
      RingFormer former(core, bounds);
      problem = former.check();
      if (!problem) {
        former.form();
        ++numRings;
        return success();
      }
    }
    for (comm::AllGatherOp op : gathers)
      op->removeAttr(kRingAttr);
    auto said = dyn_cast<DictionaryAttr>(mark);
    // Values that are made visible for a comparison are read elsewhere.
    if (said && said.contains("required") && !hasTaps())
      return problem->op->emitError()
             << "this attention's keys and values cannot go around a ring: "
             << problem->why << "; use --cp-form gather or ulysses";
    addNote(problem->op, "attention-form",
            "keys and values are gathered instead of going around a ring: " +
                problem->why);
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createFormRingPass() {
  return std::make_unique<FormRing>();
}
