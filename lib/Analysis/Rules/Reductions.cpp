// Rules of reduce, sort, top_k and of windows. Only a reduction whose combiner
// is known leaves partial values; an unknown body needs its whole dimension.

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"
#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;

namespace partopt::rules {

static ShardingRule reduce(Operation *op) {
  auto reduce = cast<stablehlo::ReduceOp>(op);
  size_t inputs = reduce.getInputs().size();
  std::optional<Combiner> combiner =
      divisibleCombiner(reduce.getBody(), reduce.getInitValues());
  RuleBuilder builder(op);
  int64_t result = 0;
  for (auto [dim, size] : llvm::enumerate(shapeOf(reduce.getInputs()[0]))) {
    llvm::SmallVector<int64_t> operands(inputs, int64_t(dim));
    if (!llvm::is_contained(reduce.getDimensions(), int64_t(dim))) {
      llvm::SmallVector<int64_t> results(inputs, result++);
      builder.add(operands, results, size);
      continue;
    }
    Factor &factor = builder.add(operands, {}, size,
                                 combiner ? FactorKind::Reduction
                                          : FactorKind::NeedReplication);
    factor.combiner = combiner.value_or(Combiner::Sum);
  }
  return builder.build();
}

static ShardingRule sort(Operation *op) {
  auto sort = cast<stablehlo::SortOp>(op);
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  int64_t sorted = sort.getDimension();
  if (sorted < 0)
    sorted += shape.size();
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape))
    builder.addPointwise(dim, size,
                         int64_t(dim) == sorted ? FactorKind::NeedReplication
                                                : FactorKind::PassThrough);
  return builder.build();
}

static ShardingRule topK(Operation *op) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (dim + 1 < shape.size())
      builder.addPointwise(dim, size);
    else
      builder.addPointwise(dim, size, FactorKind::NeedReplication).blocked =
          true;
  }
  return builder.build();
}

/// True when every window of the dimension is the element itself.
static bool isPointWindow(unsigned dim,
                          std::optional<llvm::ArrayRef<int64_t>> window,
                          std::optional<llvm::ArrayRef<int64_t>> strides,
                          std::optional<llvm::ArrayRef<int64_t>> dilations,
                          std::optional<DenseIntElementsAttr> padding) {
  for (auto sizes : {window, strides, dilations})
    if (sizes && !sizes->empty() && (*sizes)[dim] != 1)
      return false;
  if (!padding)
    return true;
  auto values = padding->getValues<int64_t>();
  return values[2 * dim] == 0 && values[2 * dim + 1] == 0;
}

static ShardingRule reduceWindow(Operation *op) {
  auto reduce = cast<stablehlo::ReduceWindowOp>(op);
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    bool point = isPointWindow(dim, reduce.getWindowDimensions(),
                               reduce.getWindowStrides(),
                               reduce.getBaseDilations(), reduce.getPadding());
    builder.addPointwise(
        dim, size, point ? FactorKind::PassThrough : FactorKind::Permutation);
  }
  return builder.build();
}

static ShardingRule selectAndScatter(Operation *op) {
  auto scatter = cast<stablehlo::SelectAndScatterOp>(op);
  llvm::ArrayRef<int64_t> source = shapeOf(scatter.getSource());
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    int64_t d = dim;
    if (isPointWindow(dim, scatter.getWindowDimensions(),
                      scatter.getWindowStrides(), std::nullopt,
                      scatter.getPadding())) {
      builder.add({d, d}, {d}, size);
      continue;
    }
    builder.add({kNone, d}, {}, source[dim], FactorKind::NeedReplication);
    builder.add({d}, {d}, size, FactorKind::Permutation);
  }
  return builder.build();
}

void attachReductionRules(MLIRContext *context) {
  attach<reduce, stablehlo::ReduceOp>(context);
  attach<sort, stablehlo::SortOp>(context);
  attach<reduceWindow, stablehlo::ReduceWindowOp>(context);
  attach<selectAndScatter, stablehlo::SelectAndScatterOp>(context);
}

void attachTopKRule(MLIRContext *context) {
  attach<topK, chlo::TopKOp>(context);
}

} // namespace partopt::rules
