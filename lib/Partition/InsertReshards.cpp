// Writes a program's partition into the IR: each op's own layout, and an
// sdy.reshard wherever a use needs a value in another one.

#include "ProgramPartition.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_INSERTRESHARDSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Why a reshape cannot keep `dim` of its operand in `parts`: the dimension
/// becomes several, of which the first has fewer or uneven elements; "" for
/// other ops.
std::string reasonOf(Operation *op, int64_t dim, int64_t parts) {
  auto reshape = dyn_cast<stablehlo::ReshapeOp>(op);
  if (!reshape)
    return "";
  auto from = cast<RankedTensorType>(reshape.getOperand().getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  int64_t before = 1, passed = 1, at = 0;
  for (int64_t i = 0; i < dim; ++i)
    before *= from.getDimSize(i);
  while (at < to.getRank() && passed < before)
    passed *= to.getDimSize(at++);
  while (at < to.getRank() && to.getDimSize(at) == 1)
    ++at;
  int64_t size = from.getDimSize(dim);
  if (passed != before || at == to.getRank())
    return "";
  int64_t groups = to.getDimSize(at);
  if (groups >= size || size % groups != 0 || groups % parts == 0)
    return "";
  return " (" + std::to_string(groups) + " groups of " +
         std::to_string(size / groups) + ", such as heads, which " +
         std::to_string(parts) +
         " devices do not share evenly; an axis whose size divides " +
         std::to_string(groups) + " keeps them split)";
}

/// Warns for every dimension of operand `i` that is split in `have`, the layout
/// from which it is resharded, although the op's rule leaves no choice.
void warnGathered(Operation *op, unsigned i, const Layout &have,
                  const ProgramPartition &partition) {
  const OpDecision &decision = partition.ops.find(op)->second;
  Layout kept = Layout::replicated(have.rank());
  if (decision.split) {
    const TensorMapping &mapping = decision.rule.operands[i];
    kept = projectedLayout(mapping,
                           projectToFactors(have, mapping, decision.rule));
  }
  for (int64_t dim = 0; dim < have.rank(); ++dim) {
    if (have.dims[dim] == kept.dims[dim])
      continue;
    Layout gathered = have;
    gathered.dims[dim] = kept.dims[dim];
    std::string axes;
    int64_t parts = 1;
    for (const AxisRef &axis : have.dims[dim]) {
      parts *= axis.size;
      axes += (axes.empty() ? "\"" : ", \"") +
              partition.mesh.axes[axis.axis].name + "\"";
    }
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    addWarning(op, "gathered",
               "'" + op->getName().getStringRef() +
                   "' cannot run with dimension " + Twine(dim) +
                   " of operand " + Twine(i) + " split over {" + axes + "}" +
                   reasonOf(op, dim, parts) + ": it is gathered, " +
                   Twine(gathered.localBytes(type)) + " bytes per device");
  }
}

/// Rewrites one function. For each value it remembers the layouts in which the
/// value already exists, so that uses share reshards.
class Writer {
public:
  explicit Writer(ProgramPartition &partition)
      : partition(partition), builder(partition.func.getContext()) {}

  void run() {
    Block &body = partition.func.getBody().front();
    for (BlockArgument argument : body.getArguments())
      record(argument, argument, partition.want(argument));
    for (Operation &op : body)
      for (Value result : op.getResults())
        usedOnce[result] = llvm::hasSingleElement(llvm::make_filter_range(
            result.getUses(), [](OpOperand &use) { return !isTap(use); }));
    for (Operation &op :
         llvm::make_early_inc_range(body.without_terminator())) {
      if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
        annotation(reshard);
      else
        rewrite(&op);
    }
    results(body.getTerminator());
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    eraseUnused(body);
  }

  unsigned numReshards = 0;

private:
  ProgramPartition &partition;
  OpBuilder builder;
  struct Form {
    Layout layout;
    Value value;
  };
  llvm::DenseMap<Value, SmallVector<Form, 2>> forms;
  /// Of the program as it was: uses move while it is rewritten.
  llvm::DenseMap<Value, bool> usedOnce;
  SmallVector<Operation *> dead;
  /// The layout from which get() has just made a reshard; none: it made none.
  std::optional<Layout> startedFrom;

  void record(Value original, Value value, const Layout &layout) {
    forms[original].push_back({layout, value});
  }

  Value reshard(Value value, const Layout &layout, Location loc) {
    auto sharding = toSharding(builder.getContext(), layout, partition.mesh,
                               partition.meshName);
    auto op = builder.create<sdy::ReshardOp>(loc, value, sharding);
    setValueLayout(op.getResult(), layout, partition.mesh, partition.meshName);
    ++numReshards;
    return op.getResult();
  }

  /// A constant, iota or broadcast of one, made anew in `layout`.
  Value remake(Value value, const Layout &layout) {
    Operation *op = value.getDefiningOp();
    std::optional<ShardingRule> rule = getPartitionRule(op);
    FactorAxes axes = projectToFactors(layout, rule->results[0], *rule);
    IRMapping mapping;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      mapping.map(
          operand,
          get(operand, projectedLayout(rule->operands[i], axes), op->getLoc()));
    Operation *clone = builder.clone(*op, mapping);
    setValueLayout(clone->getResult(0), layout, partition.mesh,
                   partition.meshName);
    return clone->getResult(0);
  }

  /// `value` in `layout` at the builder's position.
  Value get(Value value, const Layout &layout, Location loc) {
    startedFrom = std::nullopt;
    for (const Form &form : forms[value])
      if (form.layout == layout)
        return form.value;
    Value result;
    if (isFree(value) && layout.unreduced.empty()) {
      result = remake(value, layout);
    } else {
      Form start = canonical(value, layout);
      result = reshard(start.value, layout, loc);
      startedFrom = start.layout;
    }
    record(value, result, layout);
    return result;
  }

  /// The form to start a reshard from. A partial value is combined once, into
  /// the layout that propagation wants, and every other use starts there.
  Form canonical(Value value, const Layout &target) {
    Form first = forms[value].front();
    Layout wanted = partition.want(value);
    if (first.layout.unreduced.empty() || first.layout == wanted ||
        usedOnce.lookup(value))
      return first;
    bool keepsAll =
        llvm::all_of(first.layout.unreduced, [&](const UnreducedAxis &u) {
          return llvm::is_contained(target.unreduced, u);
        });
    if (keepsAll || target == wanted)
      return first;
    // What the target keeps unreduced is kept here too.
    for (const UnreducedAxis &u : first.layout.unreduced)
      if (llvm::is_contained(target.unreduced, u) &&
          llvm::none_of(wanted.unreduced, [&](const UnreducedAxis &other) {
            return other.axis.overlaps(u.axis); // parts of one axis
          }))
        wanted.unreduced.push_back(u);
    for (AxisList &axes : wanted.dims)
      llvm::erase_if(axes, [&](const AxisRef &a) {
        return llvm::any_of(wanted.unreduced, [&](const UnreducedAxis &u) {
          return u.axis.overlaps(a);
        });
      });
    wanted.normalise();
    if (wanted == target)
      return first;
    return {wanted, get(value, wanted, first.value.getLoc())};
  }

  void rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    op->removeAttr(kCopyAttr);
    op->removeAttr(kPlaceAttr);
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Value local = get(operand, partition.needed(op, i), op->getLoc());
      if (startedFrom)
        warnGathered(op, i, *startedFrom, partition);
      op->setOperand(i, local);
    }
    for (Value result : op->getResults()) {
      Layout raw = partition.raw(result);
      setValueLayout(result, raw, partition.mesh, partition.meshName);
      record(result, result, raw);
    }
  }

  /// A constraint of the user: the operand in the layout that it states.
  void annotation(sdy::ReshardOp op) {
    builder.setInsertionPoint(op);
    const Layout &wanted = partition.want(op.getResult());
    Attribute storage = op->getAttr(kStorageGatherAttr);
    // A second gather, for the backward pass, is there not to share the first.
    Value value =
        isa_and_nonnull<StringAttr>(storage)
            ? reshard(forms[op.getOperand()].front().value, wanted, op.getLoc())
            : get(op.getOperand(), wanted, op.getLoc());
    record(op.getResult(), value, wanted);
    if (storage)
      if (auto made = value.getDefiningOp<sdy::ReshardOp>())
        made->setAttr(kStorageGatherAttr, storage);
    if (Attribute ring = op->getAttr(kRingAttr))
      if (auto made = value.getDefiningOp<sdy::ReshardOp>())
        made->setAttr(kRingAttr, ring);
    dead.push_back(op);
  }

  void results(Operation *terminator) {
    builder.setInsertionPoint(terminator);
    for (auto [i, operand] : llvm::enumerate(terminator->getOperands())) {
      if (isTap(terminator->getOpOperand(i))) {
        tap(terminator, i);
        continue;
      }
      auto type = cast<RankedTensorType>(operand.getType());
      auto sharding = sdy::getFuncResultSharding(partition.func, i);
      Layout layout = sharding
                          ? toLayout(sharding, partition.mesh, type.getRank())
                          : partition.want(operand);
      terminator->setOperand(i, get(operand, layout, operand.getLoc()));
      sdy::setFuncResultSharding(partition.func, i,
                                 toSharding(builder.getContext(), layout,
                                            partition.mesh,
                                            partition.meshName));
    }
  }

  /// A layout of the program's own, if it has one that is not unreduced: the
  /// wanted one, or else the first.
  void tap(Operation *terminator, unsigned i) {
    Value value = terminator->getOperand(i);
    Layout layout = partition.want(value);
    layout.unreduced.clear();
    ArrayRef<Form> made = forms[value];
    bool isThere = llvm::any_of(
        made, [&](const Form &form) { return form.layout == layout; });
    if (!isThere)
      for (const Form &form : made)
        if (form.layout.unreduced.empty()) {
          layout = form.layout;
          break;
        }
    terminator->setOperand(i, get(value, layout, value.getLoc()));
    sdy::setFuncResultSharding(partition.func, i,
                               toSharding(builder.getContext(), layout,
                                          partition.mesh, partition.meshName));
  }

  /// Constants whose every use was made anew, and what fed them.
  static void eraseUnused(Block &body) {
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }
};

/// Loops and branches that import could not write out have no way through the
/// stages that follow; each is named.
LogicalResult refuseControlFlow(func::FuncOp func) {
  LogicalResult outcome = success();
  for (Operation &op : func.getBody().front()) {
    if (isa<stablehlo::WhileOp>(op))
      outcome = op.emitError("'")
                << op.getName()
                << "' has no kernel in this version unless its number of "
                   "iterations is known when compiling (and at most 1024)";
    else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op))
      outcome = op.emitError("'")
                << op.getName()
                << "' has no kernel in this version; compute both sides and "
                   "choose with select";
  }
  return outcome;
}

struct InsertReshards : partopt::impl::InsertReshardsPassBase<InsertReshards> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(refuseControlFlow(func)))
        return signalPassFailure();
      FailureOr<ProgramPartition> partition = choosePartition(func);
      if (failed(partition) || failed(placeReductions(*partition)))
        return signalPassFailure();
      for (auto &[op, decision] : partition->ops)
        numDeferred += !decision.passing.empty();
      Writer writer(*partition);
      writer.run();
      numReshards += writer.numReshards;
    }
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createInsertReshardsPass() {
  return std::make_unique<InsertReshards>();
}
