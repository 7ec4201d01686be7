// First half of the partition: every op's axes, from the propagated layouts.

#include "ProgramPartition.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/UnitAttributes.h"

using namespace mlir;
using namespace partopt;

Layout ProgramPartition::raw(Value value) const {
  Operation *op = value.getDefiningOp();
  auto it = op ? ops.find(op) : ops.end();
  if (it == ops.end())
    return want(value);
  const OpDecision &decision = it->second;
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (!decision.split)
    return Layout::replicated(
        cast<RankedTensorType>(value.getType()).getRank());
  Layout layout = rawResultLayout(decision.rule, i, decision.axes);
  for (const auto &[axis, group] : decision.passing)
    layout.unreduced.push_back(axis);
  layout.normalise();
  return layout;
}

Layout ProgramPartition::needed(Operation *op, unsigned i) const {
  const OpDecision &decision = ops.find(op)->second;
  if (!decision.split)
    return Layout::replicated(
        cast<RankedTensorType>(op->getOperand(i).getType()).getRank());
  Layout layout = projectedLayout(decision.rule.operands[i], decision.axes);
  for (const auto &[axis, group] : decision.passing)
    if (llvm::is_contained(group, i))
      layout.unreduced.push_back(axis);
  layout.normalise();
  return layout;
}

OpLayouts ProgramPartition::layoutsOf(
    Operation *op, const DenseMap<Value, Layout> &wantedLayouts) const {
  OpLayouts layouts;
  for (Value operand : op->getOperands()) {
    layouts.operands.push_back(wantedLayouts.find(operand)->second);
    layouts.isFree.push_back(isFree(operand));
    layouts.computeAxes.push_back(computeAxes.lookup(operand));
  }
  for (Value result : op->getResults())
    layouts.results.push_back(wantedLayouts.find(result)->second);
  return layouts;
}

bool partopt::isTap(OpOperand &use) {
  Operation *owner = use.getOwner();
  auto func = dyn_cast<func::FuncOp>(owner->getParentOp());
  return func && owner->hasTrait<OpTrait::IsTerminator>() &&
         func.getResultAttr(use.getOperandNumber(), kTapAttr);
}

bool partopt::isFree(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  Operation *op = value.getDefiningOp();
  return op && isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op);
}

/// Axes of storage gathers (marked by partopt-separate-storage).
static void findStorage(ProgramPartition &partition) {
  partition.func.walk([&](Operation *op) {
    if (!op->hasAttr(kStorageGatherAttr))
      return;
    Layout from = partition.want(op->getOperand(0));
    Layout to = partition.want(op->getResult(0));
    for (const AxisList &axes : from.dims)
      for (const AxisRef &axis : axes)
        if (!to.uses(axis) && !axesOverlap(partition.storage, axis))
          partition.storage.push_back(axis);
  });
}

FailureOr<ProgramPartition> partopt::choosePartition(func::FuncOp func) {
  ProgramPartition partition;
  auto module = func->getParentOfType<ModuleOp>();
  partition.func = func;
  partition.mesh = getModuleMesh(module);
  partition.meshName = getModuleMeshName(module).str();
  auto read = [&](Value value) {
    partition.wanted[value] = getValueLayout(value, partition.mesh);
  };
  Block &body = func.getBody().front();
  llvm::for_each(body.getArguments(), read);
  for (Operation &op : body)
    llvm::for_each(op.getResults(), read);
  findStorage(partition);
  findComputeAxes(partition);

  ReshardPrices prices(partition.mesh);
  if (failed(fuseLayouts(partition, prices)))
    return failure();
  for (Operation &op : body.without_terminator()) {
    if (isa<sdy::ReshardOp>(op))
      continue;
    std::optional<ShardingRule> rule = getPartitionRule(&op);
    OpDecision decision;
    if (!rule) {
      decision.split = false;
      partition.ops[&op] = decision;
      continue;
    }
    decision.axes =
        chooseFactorAxes(&op, *rule, partition.layoutsOf(&op, partition.wanted),
                         partition.storage, prices);
    decision.rule = std::move(*rule);
    partition.ops[&op] = std::move(decision);
  }
  return partition;
}
