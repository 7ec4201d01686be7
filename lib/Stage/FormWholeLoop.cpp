// partopt-form-whole-loop: a batch in one part as a loop of one iteration.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/UnitAttributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMWHOLELOOP
#include "partopt/Stage/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// What an update does to gradients and sums before it needs anything else:
/// elements stay what they are, or are combined with others of their place.
bool isOfUpdate(Operation *op) {
  using namespace stablehlo;
  // JAX sums a gradient over dimensions of one element.
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return llvm::all_of(
        llvm::zip(reduce->getOperandTypes(), reduce->getResultTypes()),
        [](auto types) {
          auto [from, to] = types;
          return cast<RankedTensorType>(from).getNumElements() ==
                 cast<RankedTensorType>(to).getNumElements();
        });
  return op->hasTrait<Elementwise>() ||
         isa<ReshapeOp, TransposeOp, BroadcastInDimOp, ConcatenateOp, PadOp,
             SliceOp, DynamicSliceOp, DynamicUpdateSliceOp, comm::AllReduceOp,
             comm::AllGatherOp, comm::ReduceScatterOp, comm::AllToAllOp,
             comm::PermuteOp, comm::BroadcastOp>(op);
}

class WholeLoopFormer {
public:
  explicit WholeLoopFormer(func::FuncOp func)
      : func(func), block(func.getBody().front()), builder(func.getContext()) {}

  void run(StringRef axis);

private:
  enum class Place : uint8_t { Front, Loop, Behind };

  void findVarying();
  void findTails();
  void findUpdates();
  void findStatistics();
  void placeOthers();
  void placeAgain();
  bool isBehind(OpOperand &use) const;
  bool leaves(Value value) const;
  bool isSummed(Value value) const;
  Value nextOf(Value carried, Value part);
  void emit(StringRef axis);

  bool isVarying(Operation *op) const { return varying.contains(op); }
  bool isIn(Operation *op, Place where) const {
    auto found = place.find(op);
    return found != place.end() && found->second == where;
  }

  func::FuncOp func;
  Block &block;
  OpBuilder builder;
  /// Ops that a batch argument has a part in, and values that state has.
  llvm::DenseSet<Operation *> varying;
  llvm::DenseSet<Value> ofState;
  /// Results of the function that are sums over the batch, or made of such.
  llvm::DenseSet<unsigned> tails, losses;
  llvm::DenseMap<Operation *, Place> place;
};

void WholeLoopFormer::findVarying() {
  for (BlockArgument argument : block.getArguments())
    if (StringRef role = roleOf(argument);
        role == "param" || role == "opt" || role == "state")
      ofState.insert(argument);
  for (Operation &op : block) {
    bool varies = false, state = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        auto argument = dyn_cast<BlockArgument>(operand);
        Operation *def = operand.getDefiningOp();
        varies |= argument && argument.getOwner() == &block &&
                  roleOf(argument) == "batch";
        varies |= def && isVarying(def);
        state |= ofState.contains(operand);
      }
    });
    if (varies)
      varying.insert(&op);
    if (state)
      ofState.insert(op.result_begin(), op.result_end());
  }
}

void WholeLoopFormer::findTails() {
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (func.getResultAttr(i, "partopt.loss"))
      losses.insert(i);
  tails = losses;
  for (BlockArgument argument : block.getArguments())
    if (StringRef role = roleOf(argument); role == "param" || role == "opt")
      if (auto next = nextResultOf(func, argument.getArgNumber()))
        tails.insert(*next);
}

/// The reader runs behind the loop.
bool WholeLoopFormer::isBehind(OpOperand &use) const {
  Operation *user = block.findAncestorOpInBlock(*use.getOwner());
  if (user == block.getTerminator())
    return tails.contains(use.getOperandNumber());
  return isIn(user, Place::Behind);
}

/// From next values and the loss back to what is no longer part of an update:
/// there gradients are made.
void WholeLoopFormer::findUpdates() {
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (isVarying(&op) && isOfUpdate(&op) && !op.use_empty() &&
        llvm::all_of(op.getUses(),
                     [&](OpOperand &use) { return isBehind(use); }))
      place[&op] = Place::Behind;
}

/// What is made of gradients alone, such as their norm, for updates alone.
void WholeLoopFormer::findStatistics() {
  llvm::DenseSet<Operation *> ofLoss, ofGradients;
  SmallVector<Value> work;
  for (unsigned i : losses)
    work.push_back(block.getTerminator()->getOperand(i));
  while (!work.empty())
    if (Operation *def = work.pop_back_val().getDefiningOp();
        def && isVarying(def) && ofLoss.insert(def).second)
      def->walk([&](Operation *inner) {
        llvm::append_range(work, inner->getOperands());
      });
  for (Operation &op : block.without_terminator()) {
    if (!isVarying(&op) || place.contains(&op) || ofLoss.contains(&op))
      continue;
    bool isMade = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      if (!def)
        return ofState.contains(operand);
      return !isVarying(def) || ofGradients.contains(def) ||
             isIn(def, Place::Behind) ||
             llvm::any_of(operand.getUses(),
                          [&](OpOperand &use) { return isBehind(use); });
    });
    if (isMade)
      ofGradients.insert(&op);
  }
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (ofGradients.contains(&op) && !op.use_empty() &&
        llvm::all_of(op.getUses(),
                     [&](OpOperand &use) { return isBehind(use); }))
      place[&op] = Place::Behind;
}

/// The rest of what varies is the loop; everything else is as late as it can
/// be.
void WholeLoopFormer::placeOthers() {
  for (Operation &op : block.without_terminator())
    if (isVarying(&op) && !place.contains(&op))
      place[&op] = Place::Loop;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (place.contains(&op))
      continue;
    bool isLate = llvm::all_of(op.getUsers(), [&](Operation *user) {
      Operation *own = block.findAncestorOpInBlock(*user);
      return own == block.getTerminator() || isIn(own, Place::Behind);
    });
    place[&op] = isLate ? Place::Behind : Place::Front;
  }
}

/// Parameters that are gathered once more for the backward pass, and what is
/// made of them: where they are used.
void WholeLoopFormer::placeAgain() {
  llvm::DenseSet<Operation *> gathered;
  for (Operation &op : block.without_terminator())
    if (isIn(&op, Place::Front) &&
        ((isa<comm::AllGatherOp>(op) &&
          op.hasAttrOfType<StringAttr>(kStorageGatherAttr)) ||
         llvm::any_of(op.getOperands(), [&](Value operand) {
           return gathered.contains(operand.getDefiningOp());
         })))
      gathered.insert(&op);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (gathered.contains(&op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          return isIn(block.findAncestorOpInBlock(*user), Place::Loop);
        }))
      place[&op] = Place::Loop;
}

bool WholeLoopFormer::leaves(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !isIn(block.findAncestorOpInBlock(*user), Place::Loop);
  });
}

/// Parts of sums are added to what is carried, so that they can be told apart
/// by stage. So is what parameters have no part in, which no stage makes.
bool WholeLoopFormer::isSummed(Value value) const {
  return !ofState.contains(value) ||
         llvm::any_of(value.getUses(),
                      [&](OpOperand &use) { return isBehind(use); });
}

Value WholeLoopFormer::nextOf(Value carried, Value part) {
  if (!isSummed(part))
    return part;
  auto type = cast<RankedTensorType>(part.getType());
  if (type.getElementType().isInteger(1))
    return builder.create<stablehlo::OrOp>(part.getLoc(), type, carried, part);
  return builder.create<stablehlo::AddOp>(part.getLoc(), type, carried, part);
}

void WholeLoopFormer::emit(StringRef axis) {
  Operation *terminator = block.getTerminator();
  SmallVector<Operation *> ops[3];
  for (Operation &op : block.without_terminator())
    ops[size_t(place.lookup(&op))].push_back(&op);
  SmallVector<Value> parts, inits, nexts;
  for (Operation *op : ops[size_t(Place::Loop)])
    for (Value result : op->getResults())
      if (leaves(result))
        parts.push_back(result);
  for (Operation *op : ops[size_t(Place::Front)])
    op->moveBefore(terminator);
  builder.setInsertionPoint(terminator);
  SmallVector<Type> types{RankedTensorType::get({}, builder.getI32Type())};
  for (Value part : parts) {
    auto type = cast<RankedTensorType>(part.getType());
    inits.push_back(builder.create<stablehlo::ConstantOp>(
        part.getLoc(), type,
        DenseElementsAttr::get(
            type, combinerIdentity(type.getElementType(), Combiner::Sum))));
    types.push_back(type);
  }
  auto begin = builder.create<comm::LoopBeginOp>(
      func.getLoc(), types, builder.getStringAttr(axis),
      builder.getI64IntegerAttr(1), inits);
  for (Operation *op : ops[size_t(Place::Loop)])
    op->moveBefore(terminator);
  llvm::SmallPtrSet<Operation *, 16> own;
  for (auto [part, carried] : llvm::zip_equal(parts, begin.getCarried())) {
    nexts.push_back(nextOf(carried, part));
    own.insert(nexts.back().getDefiningOp());
  }
  auto end = builder.create<comm::LoopEndOp>(
      func.getLoc(), ValueRange(nexts).getTypes(), nexts);
  own.insert(end);
  for (auto [part, total] : llvm::zip_equal(parts, end.getFinals()))
    for (OpOperand &use : llvm::make_early_inc_range(part.getUses()))
      if (Operation *user = block.findAncestorOpInBlock(*use.getOwner());
          !own.contains(user) && !isIn(user, Place::Loop))
        use.set(total);
  for (Operation *op : ops[size_t(Place::Behind)])
    op->moveBefore(terminator);
}

void WholeLoopFormer::run(StringRef axis) {
  findVarying();
  if (varying.empty())
    return;
  findTails();
  // A gradient that a norm reads is part of an update once the norm is.
  for (size_t before = 1; place.size() != before;) {
    before = place.size();
    findUpdates();
    findStatistics();
  }
  placeOthers();
  placeAgain();
  emit(axis);
}

struct FormWholeLoopPass : partopt::impl::FormWholeLoopBase<FormWholeLoopPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    Mesh mesh = getModuleMesh(func->getParentOfType<ModuleOp>());
    for (const MeshAxis &axis : mesh.axes)
      if (axis.isTime && axis.size == 1)
        return WholeLoopFormer(func).run(axis.name);
  }
};

} // namespace
