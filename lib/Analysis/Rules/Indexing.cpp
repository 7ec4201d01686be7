// Rules of gather and scatter. A device with a part of an indexed dimension
// serves the indices that fall into its part: a gather's other results are zero
// and the partial results add up, a scatter drops the updates of the others.

#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"

using namespace mlir;

namespace partopt::rules {

/// Dimensions 0 .. rank-1 that are in neither list.
static llvm::SmallVector<int64_t> otherDims(int64_t rank,
                                            llvm::ArrayRef<int64_t> a,
                                            llvm::ArrayRef<int64_t> b = {}) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(a, dim) && !llvm::is_contained(b, dim))
      dims.push_back(dim);
  return dims;
}

/// Entry of `to` at the position of `dim` in `from`, or kNone.
static int64_t partner(int64_t dim, llvm::ArrayRef<int64_t> from,
                       llvm::ArrayRef<int64_t> to) {
  const auto *it = llvm::find(from, dim);
  return it == from.end() ? kNone : to[it - from.begin()];
}

static bool isBoolean(Value value) {
  return getElementTypeOrSelf(value).isInteger(1);
}

static ShardingRule gather(Operation *op) {
  auto gather = cast<stablehlo::GatherOp>(op);
  auto numbers = gather.getDimensionNumbers();
  llvm::ArrayRef<int64_t> operand = shapeOf(gather.getOperand());
  llvm::ArrayRef<int64_t> indices = shapeOf(gather.getStartIndices());
  Combiner combiner =
      isBoolean(gather.getOperand()) ? Combiner::Or : Combiner::Sum;
  auto indexDims = otherDims(indices.size(), numbers.getIndexVectorDim());
  auto offsetDims = otherDims(operand.size(), numbers.getCollapsedSliceDims(),
                              numbers.getOperandBatchingDims());
  size_t batch = 0, offset = 0;
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    int64_t d = dim;
    if (!llvm::is_contained(numbers.getOffsetDims(), d)) {
      int64_t index = indexDims[batch++];
      builder.add({partner(index, numbers.getStartIndicesBatchingDims(),
                           numbers.getOperandBatchingDims()),
                   index},
                  {d}, size);
      continue;
    }
    int64_t from = offsetDims[offset++], whole = operand[from];
    if (whole == size) {
      builder.add({from}, {d}, size);
    } else if (size == 1) {
      builder.add({from}, {}, whole, FactorKind::Reduction).combiner = combiner;
      builder.add({}, {d}, 1, FactorKind::NeedReplication);
    } else {
      builder.add({from}, {d}, whole, FactorKind::NeedReplication).blocked =
          true;
    }
  }
  for (int64_t dim : numbers.getCollapsedSliceDims()) {
    FactorKind kind =
        operand[dim] == 1 ? FactorKind::NeedReplication : FactorKind::Reduction;
    builder.add({dim}, {}, operand[dim], kind).combiner = combiner;
  }
  int64_t vectorDim = numbers.getIndexVectorDim();
  if (vectorDim < int64_t(indices.size()))
    builder.add({kNone, vectorDim}, {}, indices[vectorDim],
                FactorKind::NeedReplication);
  return builder.build();
}

namespace {
/// A scatter's operands are inputs, indices, updates; results are as inputs.
struct ScatterRule {
  explicit ScatterRule(stablehlo::ScatterOp op)
      : scatter(op), numbers(op.getScatterDimensionNumbers()), builder(op) {}

  Factor &add(int64_t input, int64_t index, int64_t update, int64_t size,
              FactorKind kind = FactorKind::PassThrough) {
    size_t n = scatter.getInputs().size();
    llvm::SmallVector<int64_t> operands(n, input), results(n, input);
    operands.push_back(index);
    operands.append(n, update);
    return builder.add(operands, results, size, kind);
  }

  void addScatterDim(int64_t index, int64_t update, int64_t size) {
    int64_t input = partner(index, numbers.getScatterIndicesBatchingDims(),
                            numbers.getInputBatchingDims());
    if (input != kNone) {
      add(input, index, update, size);
      return;
    }
    auto combiner = bodyCombiner(scatter.getUpdateComputation());
    Factor &factor =
        add(kNone, index, update, size,
            combiner ? FactorKind::Reduction : FactorKind::NeedReplication);
    factor.combiner = combiner.value_or(Combiner::Sum);
  }

  void addWindowDim(int64_t input, int64_t update, int64_t whole,
                    int64_t size) {
    if (whole == size) {
      add(input, kNone, update, size);
      return;
    }
    add(input, kNone, kNone, whole, FactorKind::NeedReplication);
    add(kNone, kNone, update, size, FactorKind::NeedReplication);
  }

  stablehlo::ScatterOp scatter;
  stablehlo::ScatterDimensionNumbersAttr numbers;
  RuleBuilder builder;
};
} // namespace

static ShardingRule scatter(Operation *op) {
  auto scatter = cast<stablehlo::ScatterOp>(op);
  ScatterRule rule(scatter);
  auto numbers = rule.numbers;
  llvm::ArrayRef<int64_t> input = shapeOf(scatter.getInputs()[0]);
  llvm::ArrayRef<int64_t> indices = shapeOf(scatter.getScatterIndices());
  auto indexDims = otherDims(indices.size(), numbers.getIndexVectorDim());
  auto windowDims = otherDims(input.size(), numbers.getInsertedWindowDims(),
                              numbers.getInputBatchingDims());
  size_t batch = 0, window = 0;
  for (auto [dim, size] : llvm::enumerate(shapeOf(scatter.getUpdates()[0]))) {
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), int64_t(dim))) {
      rule.addScatterDim(indexDims[batch++], dim, size);
    } else {
      int64_t to = windowDims[window++];
      rule.addWindowDim(to, dim, input[to], size);
    }
  }
  for (int64_t dim : numbers.getInsertedWindowDims())
    rule.add(dim, kNone, kNone, input[dim]);
  int64_t vectorDim = numbers.getIndexVectorDim();
  if (vectorDim < int64_t(indices.size()))
    rule.add(kNone, vectorDim, kNone, indices[vectorDim],
             FactorKind::NeedReplication);
  return rule.builder.build();
}

void attachIndexingRules(MLIRContext *context) {
  attach<gather, stablehlo::GatherOp>(context);
  attach<scatter, stablehlo::ScatterOp>(context);
}

} // namespace partopt::rules
