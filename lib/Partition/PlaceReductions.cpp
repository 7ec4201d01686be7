// Second half of the partition: how far partial values stay unreduced. For one
// axis and combiner, each value is unreduced (source side of a cut) or reduced;
// reducing a value once costs its bytes on the wire; an op that is not linear
// needs its operands reduced. The cheapest assignment is a minimum cut.

#include "ProgramPartition.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "partopt/Search/MinCut.h"

using namespace mlir;
using namespace partopt;

namespace {

/// One axis and combiner of one program.
class Placement {
public:
  Placement(ProgramPartition &partition, const UnreducedAxis &axis)
      : partition(partition), axis(axis) {}

  LogicalResult run() {
    findReachable();
    if (nodes.empty())
      return success();
    priced = pricedAxes();
    build();
    MinCutSolution cut = solveMinCut(problem);
    if (std::string error = verifyMinCut(problem, cut); !error.empty())
      return partition.func.emitError()
             << "the placement of reductions does not prove: " << error;
    apply(cut);
    return success();
  }

private:
  ProgramPartition &partition;
  UnreducedAxis axis;
  AxisList priced;
  MinCutProblem problem;

  struct Nodes {
    unsigned form;    ///< source side: the value stays unreduced
    unsigned reduced; ///< target side: somebody needs it reduced
  };
  llvm::MapVector<Value, Nodes> nodes;
  /// Ops that can pass the axis on, with the operands that carry it.
  llvm::MapVector<Operation *, LinearGroup> capable;

  bool isUnreduced(Value value) const {
    return llvm::is_contained(partition.raw(value).unreduced, axis);
  }

  static FactorAxes without(FactorAxes axes, const AxisRef &gone) {
    for (AxisList &list : axes)
      llvm::erase_if(list, [&](const AxisRef &a) { return a.overlaps(gone); });
    return axes;
  }

  /// The axes in space over which the same values are partial. An axis in time
  /// has no price of its own: what it accumulates is reduced over these once,
  /// after the loop, where they would be reduced without it.
  AxisList pricedAxes() {
    if (!partition.mesh.isTime(axis.axis))
      return {axis.axis};
    AxisList axes;
    for (auto &[op, decision] : partition.ops)
      for (Value result : op->getResults())
        if (isUnreduced(result))
          for (const UnreducedAxis &other : partition.raw(result).unreduced)
            if (other.combiner == axis.combiner &&
                !partition.mesh.isTime(other.axis) &&
                !llvm::is_contained(axes, other.axis))
              axes.push_back(other.axis);
    return axes;
  }

  void reach(Value value) {
    nodes[value] = {problem.addNode(), problem.addNode()};
  }

  void findReachable() {
    for (auto &[op, decision] : partition.ops) {
      bool source = llvm::any_of(op->getResults(),
                                 [&](Value v) { return isUnreduced(v); });
      if (!source && !canPass(op, decision))
        continue;
      for (Value result : op->getResults())
        if (!source || isUnreduced(result))
          reach(result);
      if (source)
        for (Value result : op->getResults())
          if (isUnreduced(result))
            problem.addEdge(0, nodes[result].form, MinCutProblem::kInfinite);
    }
  }

  /// Rows that layers have made one by one: each is reduced when it is there,
  /// not all of them when the last one is.
  static bool isRowStack(Operation *op) {
    auto stack = dyn_cast<stablehlo::ConcatenateOp>(op);
    return stack && stack.getDimension() == 0 && stack->getNumOperands() > 1 &&
           llvm::all_of(stack->getOperandTypes(), [](Type type) {
             auto tensor = cast<RankedTensorType>(type);
             return tensor.getRank() > 1 && tensor.getDimSize(0) == 1;
           });
  }

  /// True when all reachable operands lie in one linear group, and no operand
  /// would have to be gathered over the axis for the op to run without it.
  bool canPass(Operation *op, const OpDecision &decision) {
    if (isRowStack(op))
      return false;
    LinearGroup carried;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (nodes.contains(operand))
        carried.push_back(i);
    if (carried.empty() || !decision.split)
      return false;
    // A part of this axis, or the axis that this is a part of, passes already.
    for (const auto &passing : decision.passing)
      if (passing.first.axis.overlaps(axis.axis))
        return false;
    for (const LinearGroup &group : getLinearGroups(op, axis.combiner)) {
      if (!llvm::all_of(carried, [&](unsigned i) {
            return llvm::is_contained(group, i);
          }))
        continue;
      bool othersWhole = true;
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (!llvm::is_contained(carried, i) && !isFree(operand))
          othersWhole &= !partition.want(operand).uses(axis.axis);
      if (!othersWhole)
        return false;
      capable[op] = group;
      return true;
    }
    return false;
  }

  /// Layout of a reachable value while unreduced, without the axis itself.
  Layout unreducedForm(Value value) {
    Operation *op = value.getDefiningOp();
    const OpDecision &decision = partition.ops.find(op)->second;
    FactorAxes axes = without(decision.axes, axis.axis);
    for (const AxisRef &other : priced)
      axes = without(axes, other);
    return projectedLayout(
        decision.rule.results[cast<OpResult>(value).getResultNumber()], axes);
  }

  int64_t reductionBytes(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t n = std::max<int64_t>(axesSize(priced), 2);
    int64_t bytes = unreducedForm(value).localBytes(type) * (n - 1) / n;
    bool scatters = false;
    for (const AxisList &axes : partition.want(value).dims)
      scatters |= axesOverlap(axes, priced);
    // One more byte per reduction, so that equal volumes mean fewer of them.
    return (scatters ? 1 : 2) * bytes + 1;
  }

  void build() {
    for (auto &[value, node] : nodes) {
      problem.addEdge(node.form, node.reduced, reductionBytes(value));
      Operation *def = value.getDefiningOp();
      // All results of an op take the same form.
      for (Value other : def->getResults())
        if (other != value && nodes.contains(other))
          problem.addEdge(node.form, nodes[other].form,
                          MinCutProblem::kInfinite);
      for (OpOperand &use : value.getUses()) {
        if (isTap(use))
          continue;
        Operation *user = use.getOwner();
        if (!capable.contains(user)) {
          problem.addEdge(node.reduced, 1, MinCutProblem::kInfinite);
          continue;
        }
        for (Value result : user->getResults())
          problem.addEdge(node.reduced, nodes[result].form,
                          MinCutProblem::kInfinite);
      }
    }
  }

  void apply(const MinCutSolution &cut) {
    for (auto &[op, group] : capable) {
      if (!cut.onSourceSide[nodes[op->getResult(0)].form])
        continue;
      OpDecision &decision = partition.ops[op];
      decision.axes = without(decision.axes, axis.axis);
      decision.passing.push_back({axis, group});
    }
  }
};

} // namespace

LogicalResult partopt::placeReductions(ProgramPartition &partition) {
  // Axes in program order of first appearance, so that the result depends on
  // the program alone.
  SmallVector<UnreducedAxis> axes;
  for (auto &[op, decision] : partition.ops)
    if (decision.split)
      for (Value result : op->getResults())
        for (const UnreducedAxis &axis : partition.raw(result).unreduced)
          if (!llvm::is_contained(axes, axis))
            axes.push_back(axis);
  for (const UnreducedAxis &axis : axes)
    if (failed(Placement(partition, axis).run()))
      return failure();
  return success();
}
