// Finding a model's batch statistics, and refusing what has no form for groups
// of rows.

#include "StatisticRegion.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::stablehlo;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A sum over the batch that keeps one number per feature. A single number,
/// such as a loss or a count of tokens, is no statistic of a layer.
bool StatisticRegion::isSource(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce.getInputs().size() != 1 ||
      typeOf(reduce.getResult(0)).getNumElements() < 2)
    return false;
  std::optional<int64_t> dim = batch.dimOf(reduce.getInputs()[0]);
  return dim && llvm::is_contained(reduce.getDimensions(), *dim);
}

/// Everything between a sum over the batch and a use that is spread over it.
LogicalResult StatisticRegion::find() {
  llvm::DenseSet<Operation *> reached;
  for (Operation &op : func.getBody().front().without_terminator()) {
    bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getDefiningOp() &&
             reached.contains(operand.getDefiningOp());
    });
    bool hasBatch = llvm::any_of(op.getResults(), [&](Value result) {
      return batch.dimOf(result).has_value();
    });
    if (isSource(&op) || (follows && !hasBatch))
      reached.insert(&op);
    else if (follows)
      sinks.insert(&op);
  }
  llvm::SetVector<Operation *> needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && reached.contains(producer))
        needed.insert(producer);
  };
  llvm::for_each(sinks, need);
  for (size_t i = 0; i < needed.size(); ++i)
    if (!isSource(needed[i]))
      need(needed[i]);
  for (Operation &op : func.getBody().front()) {
    if (!needed.contains(&op))
      continue;
    ops.insert(&op);
    if (isSource(&op))
      sources.insert(&op);
    if (failed(check(&op)))
      return failure();
  }
  for (Operation *sink : sinks)
    if (!isa<BroadcastInDimOp>(sink))
      return sink->emitError("'")
             << sink->getName()
             << "' spreads a batch statistic in a way that has no form for "
                "groups of rows; use --batch-statistics exact";
  return findLeaving();
}

LogicalResult StatisticRegion::check(Operation *op) {
  if (isSource(op)) {
    auto reduce = cast<ReduceOp>(op);
    Value input = reduce.getInputs()[0];
    int64_t rows = typeOf(input).getDimSize(*batch.dimOf(input));
    if (rows % groups != 0)
      return op->emitError("batch statistics of each device's own rows need "
                           "a batch that the devices divide, but ")
             << rows << " rows go to " << groups
             << " devices; use --batch-statistics exact";
    return success();
  }
  bool known = op->hasTrait<Elementwise>() ||
               isa<BroadcastInDimOp, ReshapeOp, TransposeOp>(op) ||
               (isa<ReduceOp>(op) && op->getNumOperands() == 2);
  if (!known)
    return op->emitError("'")
           << op->getName()
           << "' between a batch statistic and its use has no form for groups "
              "of rows; use --batch-statistics exact";
  return success();
}

/// Statistics may leave towards running statistics and results of their own,
/// where the first group's are taken; anything else would mix groups.
LogicalResult StatisticRegion::checkLeaves(Value value, Operation *user) {
  llvm::SetVector<Operation *> reached;
  reached.insert(user);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *next : reached[i]->getUsers())
      reached.insert(next);
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Operation *source =
        operand.get() == value ? user : operand.get().getDefiningOp();
    if (!source || !reached.contains(source))
      continue;
    if (typeOf(operand.get()).getNumElements() < 2)
      return emitError(value.getLoc())
             << "a batch statistic goes into the single number of result "
             << operand.getOperandNumber()
             << ", which would be one device's alone; use --batch-statistics "
                "exact";
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      StringRef role = roleOf(func, i);
      if (nextResultOf(func, i) == operand.getOperandNumber() &&
          !role.empty() && role != "state")
        return emitError(value.getLoc())
               << "a batch statistic goes into result "
               << operand.getOperandNumber() << ", which is the new value of "
               << "an argument of role '" << role
               << "': each device would have its own; use --batch-statistics "
                  "exact";
    }
  }
  return success();
}

/// Uses outside, which get sums over the whole batch, or the first group's
/// part.
LogicalResult StatisticRegion::findLeaving() {
  for (Operation *op : ops) {
    if (sources.contains(op))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses()) {
      if (ops.contains(use.getOwner()) || sinks.contains(use.getOwner()))
        continue;
      if (failed(checkLeaves(op->getResult(0), use.getOwner())))
        return failure();
      uses.push_back(&use);
    }
    if (!uses.empty())
      leaving.emplace_back(op->getResult(0), uses);
  }
  return success();
}
