// See TimeDependence.h.

#include "TimeDependence.h"

#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/UnitAttributes.h"

using namespace mlir;
using namespace partopt;

bool partopt::overAxis(Operation *op, StringRef axis) {
  auto axes = op->getAttrOfType<comm::AxesAttr>("axes");
  return axes && llvm::any_of(axes.getNames(), [&](StringAttr name) {
           return name.getValue() == axis;
         });
}

TimeDependence::TimeDependence(func::FuncOp func, const TimeCut &cut)
    : func(func), block(func.getBody().front()), axis(cut.axis.name),
      trips(cut.axis.size) {
  for (auto &[argument, dim] : cut.batchDim)
    varying.insert(argument);
  for (auto &[i, dim] : cut.resultDim)
    rows.insert(block.getTerminator()->getOperand(i));
}

bool TimeDependence::isReduction(Operation *op) const {
  return isa<comm::AllReduceOp>(op) && overAxis(op, axis);
}

bool TimeDependence::isInLoop(Operation *op) const {
  return isReduction(op) || llvm::any_of(op->getResults(), [&](Value value) {
           return varying.contains(value);
         });
}

/// Partitioning leaves accumulations and indices only, over the whole axis.
LogicalResult TimeDependence::checkCollective(Operation *op) {
  if (!overAxis(op, axis))
    return success();
  auto axes = op->getAttrOfType<comm::AxesAttr>("axes");
  bool isWhole = axes.getNames().size() == 1 && axes.getSizes()[0] == trips;
  if (isa<comm::AxisIndexOp>(op) || (isReduction(op) && isWhole))
    return success();
  return op->emitError() << "needs the rows of other microbatches; leave out "
                            "--microbatches, or change the model so that rows "
                            "do not meet";
}

void TimeDependence::findVarying() {
  for (BlockArgument argument : block.getArguments()) {
    StringRef role = roleOf(argument);
    if (role != "batch" && role != "scalar" && role != "rng")
      ofState.insert(argument);
  }
  for (Operation &op : block) {
    bool varies = isa<comm::AxisIndexOp>(op) && overAxis(&op, axis);
    bool state = false;
    for (Value operand : op.getOperands()) {
      varies |= varying.contains(operand);
      state |= ofState.contains(operand);
    }
    for (Value result : op.getResults()) {
      if (varies && !isReduction(&op))
        varying.insert(result);
      if (state)
        ofState.insert(result);
    }
  }
}

/// Gathers that ask for it, and what is made of them, where only iterations
/// read it.
void TimeDependence::findRepeated() {
  llvm::DenseSet<Value> derived;
  for (Operation &op : block.without_terminator()) {
    if (isInLoop(&op))
      continue;
    bool again = isa<comm::AllGatherOp>(op) &&
                 op.hasAttrOfType<StringAttr>(kStorageGatherAttr);
    for (Value operand : op.getOperands())
      again |= derived.contains(operand);
    if (again)
      derived.insert(op.result_begin(), op.result_end());
  }
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (op.getNumResults() > 0 && derived.contains(op.getResult(0)) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          return isRepeated(user) || isInLoop(user);
        }))
      repeated.insert(&op);
  for (Operation *op : repeated)
    varying.insert(op->result_begin(), op->result_end());
}

/// A loop more than there are reductions on a way to something that varies.
void TimeDependence::countLoops() {
  loops = rows.empty() ? 0 : 1;
  llvm::DenseMap<Value, int64_t> reductionsBefore;
  for (Operation &op : block) {
    int64_t before = 0;
    for (Value operand : op.getOperands())
      before = std::max(before, reductionsBefore.lookup(operand));
    if (isInLoop(&op))
      loops = std::max(loops, before + 1);
    for (Value result : op.getResults())
      reductionsBefore[result] = before + (isReduction(&op) ? 1 : 0);
  }
}

/// Everything as late as it can be.
void TimeDependence::placeOps() {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool inLoop = isInLoop(&op);
    int64_t latest = loops;
    for (Operation *user : op.getUsers()) {
      if (user == block.getTerminator())
        continue;
      latest = std::min(latest, place.lookup(user));
    }
    // The last loop writes the rows of results.
    for (Value result : op.getResults())
      if (rows.contains(result))
        latest = std::min(latest, loops - 1);
    // What varies is used in its own loop at the latest; a reduction is over
    // before the loop that needs its result.
    if (isReduction(&op))
      latest -= 1;
    else if (inLoop)
      latest = std::min(latest, loops - 1);
    place[&op] = latest;
  }
}

/// A loop before the last holds only what batch arguments decide.
LogicalResult TimeDependence::checkReductions() {
  for (Operation &op : block) {
    if (!isReduction(&op) || placeOf(&op) == loops - 1 ||
        !ofState.contains(op.getOperand(0)))
      continue;
    return op.emitError()
           << "in microbatches this is combined over the whole batch, and "
              "every microbatch needs the result: it would have to be computed "
              "twice (batch statistics, or a loss that multiplies means); "
              "leave out --microbatches, let the model do without, or choose "
              "--batch-statistics exact (every microbatch's values are kept "
              "until then) or micro (over each microbatch: other results)";
  }
  return success();
}

LogicalResult TimeDependence::run(bool exactStatistics) {
  for (Operation &op : block)
    if (failed(checkCollective(&op)))
      return failure();
  findVarying();
  findRepeated();
  countLoops();
  if (loops == 0)
    return success();
  placeOps();
  return exactStatistics ? success() : checkReductions();
}
