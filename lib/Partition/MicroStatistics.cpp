// Statistics of a batch over each microbatch instead of the whole batch.

#include "TimeDependence.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_MICROSTATISTICSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// `number` in every element of `type`, which has numbers.
Value splat(OpBuilder &builder, Location loc, RankedTensorType type,
            int64_t number) {
  Type element = type.getElementType();
  Attribute value = isa<FloatType>(element)
                        ? Attribute(builder.getFloatAttr(element, number))
                        : Attribute(builder.getIntegerAttr(element, number));
  return builder.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, value));
}

bool hasNumbers(Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return isa<FloatType>(element) || element.isIntOrIndex();
}

/// A sum over the whole batch that iterations read is estimated by each of them
/// from its own part. `own` has the values that an iteration makes for itself
/// of what the program computes once; the originals stay for those who read
/// them outside of iterations (gradients, running statistics).
class MicroStatistics {
public:
  MicroStatistics(func::FuncOp func, const TimeCut &cut)
      : func(func), block(func.getBody().front()), cut(cut),
        depends(func, cut) {
    depends.findVarying();
  }

  LogicalResult run();

  unsigned numStatistics = 0, numAverages = 0;

private:
  bool isOutside(Operation *op) const {
    return !depends.isInLoop(op) && !op->hasTrait<OpTrait::IsTerminator>();
  }
  /// True for a use by an iteration: the rows of a result are its too.
  bool isInside(OpOperand &use) const {
    return use.getOwner() == block.getTerminator()
               ? cut.resultDim.contains(use.getOperandNumber())
               : depends.isInLoop(use.getOwner());
  }
  void findToState();
  void findMetrics();
  void findNeeded();
  LogicalResult estimate(comm::AllReduceOp sum);
  void cloneForIterations(Operation *op);
  void averageResults();

  func::FuncOp func;
  Block &block;
  const TimeCut &cut;
  TimeDependence depends;
  /// Outside of iterations: ops that new state is made of; those that only
  /// reported values are made of, from statistics; those of which iterations
  /// need a value of their own.
  llvm::DenseSet<Operation *> toState, metrics, needed;
  IRMapping own;
};

void MicroStatistics::findToState() {
  llvm::DenseSet<unsigned> nextValues;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (std::optional<unsigned> next = nextResultOf(func, i))
      nextValues.insert(*next);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (depends.isInLoop(&op) && !depends.isReduction(&op))
      continue;
    for (OpOperand &use : op.getUses())
      if (use.getOwner() == block.getTerminator()
              ? nextValues.contains(use.getOperandNumber())
              : isOutside(use.getOwner()) && toState.contains(use.getOwner()))
        toState.insert(&op);
  }
}

/// What is reported of statistics alone (a loss that balances experts) is that
/// of each microbatch, averaged: it need not be linear in them.
void MicroStatistics::findMetrics() {
  llvm::DenseSet<Operation *> read;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (!depends.isInLoop(&op) || depends.isReduction(&op))
      if (llvm::any_of(op.getUses(), [&](OpOperand &use) {
            return isInside(use) || read.contains(use.getOwner());
          }))
        read.insert(&op);
  for (Operation &op : block.without_terminator()) {
    if (!isOutside(&op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def)
        continue;
      bool statistic =
          depends.isReduction(def) && read.contains(def) &&
          depends.isOfState(operand) && !toState.contains(def) &&
          cast<comm::AllReduceOp>(def).getCombiner() == comm::CombinerKind::Sum;
      if (statistic || metrics.contains(def))
        metrics.insert(&op);
    }
  }
}

void MicroStatistics::findNeeded() {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (depends.isInLoop(&op) && !depends.isReduction(&op))
      continue;
    bool need = metrics.contains(&op);
    for (OpOperand &use : op.getUses())
      need |= isInside(use) || needed.contains(use.getOwner());
    if (need)
      needed.insert(&op);
  }
}

/// The batch in M parts of as many rows: M times what one part sums up to.
LogicalResult MicroStatistics::estimate(comm::AllReduceOp sum) {
  Value part = own.lookupOrDefault(sum->getOperand(0));
  bool sums = sum.getCombiner() == comm::CombinerKind::Sum;
  if (sum.getCombiner() == comm::CombinerKind::Product ||
      (sums && !hasNumbers(part)))
    return sum.emitError() << "is a product, or complex, over the whole batch, "
                              "and every microbatch needs it: it has no "
                              "estimate from a part (--batch-statistics "
                              "micro); use exact";
  ++numStatistics;
  if (!sums) {
    own.map(sum->getResult(0), part);
    return success();
  }
  auto type = cast<RankedTensorType>(part.getType());
  OpBuilder builder(sum->getContext());
  builder.setInsertionPointAfter(sum);
  Value count = splat(builder, sum.getLoc(), type, cut.axis.size);
  own.map(sum->getResult(0),
          builder.create<stablehlo::MulOp>(sum.getLoc(), type, part, count));
  return success();
}

void MicroStatistics::cloneForIterations(Operation *op) {
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) { return own.contains(operand); }))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  builder.clone(*op, own);
}

void MicroStatistics::averageResults() {
  Operation *terminator = block.getTerminator();
  OpBuilder builder(terminator);
  for (OpOperand &result : terminator->getOpOperands()) {
    Value value = result.get();
    Operation *def = value.getDefiningOp();
    auto type = cast<RankedTensorType>(value.getType());
    if (!def || !metrics.contains(def) || !own.contains(value) ||
        !hasNumbers(value) || type.getElementType().isInteger(1))
      continue;
    Location loc = value.getLoc();
    MLIRContext *context = func.getContext();
    auto axes = comm::AxesAttr::get(
        context, {builder.getStringAttr(cut.axis.name)}, {1}, {cut.axis.size});
    auto sum = builder.create<comm::AllReduceOp>(
        loc, TypeRange{type}, axes,
        comm::CombinerKindAttr::get(context, comm::CombinerKind::Sum),
        ValueRange{own.lookup(value)});
    result.set(builder.create<stablehlo::DivOp>(
        loc, type, sum.getResult(0), splat(builder, loc, type, cut.axis.size)));
    ++numAverages;
  }
}

LogicalResult MicroStatistics::run() {
  findToState();
  findMetrics();
  findNeeded();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (depends.isReduction(op)) {
      if (needed.contains(op) && depends.isOfState(op->getOperand(0)) &&
          failed(estimate(cast<comm::AllReduceOp>(op))))
        return failure();
    } else if (isOutside(op)) {
      if (needed.contains(op))
        cloneForIterations(op);
      continue;
    }
    for (OpOperand &operand : op->getOpOperands())
      operand.set(own.lookupOrDefault(operand.get()));
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands())
    if (isInside(result))
      result.set(own.lookupOrDefault(result.get()));
  averageResults();
  return success();
}

struct MicroStatisticsImpl
    : partopt::impl::MicroStatisticsPassBase<MicroStatisticsImpl> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto kind = func->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
        kBatchStatisticsAttr);
    if (!kind || kind.getValue() != "micro")
      return;
    LogicalResult ran = withTimeCut(func, [&](TimeCut &cut) {
      MicroStatistics statistics(func, cut);
      if (failed(statistics.run()))
        return failure();
      numStatistics += statistics.numStatistics;
      numAverages += statistics.numAverages;
      if (statistics.numStatistics > 0)
        addNote(func, "batch_statistics",
                "batch statistics are over each microbatch: " +
                    Twine(statistics.numStatistics) +
                    " sums; results depend on the number of microbatches");
      return success();
    });
    if (failed(ran))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createMicroStatisticsPass() {
  return std::make_unique<MicroStatisticsImpl>();
}
