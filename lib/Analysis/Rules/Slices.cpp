// Rules of ops that take or join contiguous parts: slice, pad, concatenate and
// the dynamic forms. Dimensions that stay whole pass through.

#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"

using namespace mlir;

namespace partopt::rules {

static ShardingRule slice(Operation *op) {
  llvm::ArrayRef<int64_t> in = shapeOf(op->getOperand(0));
  llvm::ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in))
    builder.addPointwise(dim, size,
                         size == out[dim] ? FactorKind::PassThrough
                                          : FactorKind::Permutation);
  return builder.build();
}

/// Unlike Shardy, a dimension that is shifted (low = 1, high = -1) does not
/// pass through although its size stays.
static ShardingRule pad(Operation *op) {
  auto pad = cast<stablehlo::PadOp>(op);
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(pad.getOperand()))) {
    bool untouched = pad.getEdgePaddingLow()[dim] == 0 &&
                     pad.getEdgePaddingHigh()[dim] == 0 &&
                     (pad.getInteriorPadding()[dim] == 0 || size <= 1);
    builder.addPointwise(dim, size,
                         untouched ? FactorKind::PassThrough
                                   : FactorKind::Permutation);
  }
  return builder.build();
}

/// True when all operands are slices of one value, as when it is rolled: then
/// each device exchanges with few others.
static bool isRoll(stablehlo::ConcatenateOp concatenate) {
  Value base;
  for (Value input : concatenate.getInputs()) {
    auto slice = input.getDefiningOp<stablehlo::SliceOp>();
    if (!slice || (base && slice.getOperand() != base))
      return false;
    base = slice.getOperand();
  }
  return true;
}

static ShardingRule concatenate(Operation *op) {
  auto concatenate = cast<stablehlo::ConcatenateOp>(op);
  FactorKind joined = isRoll(concatenate) ? FactorKind::Permutation
                                          : FactorKind::NeedReplication;
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    bool isJoined = int64_t(dim) == int64_t(concatenate.getDimension());
    builder.addPointwise(dim, size,
                         isJoined ? joined : FactorKind::PassThrough);
  }
  return builder.build();
}

/// The start of a sliced dimension is known at run time only.
static ShardingRule dynamicSlice(Operation *op) {
  llvm::ArrayRef<int64_t> in = shapeOf(op->getOperand(0));
  llvm::ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in)) {
    int64_t d = dim;
    if (size == out[dim])
      builder.add({d}, {d}, size);
    else
      builder.add({d}, {d}, size, FactorKind::NeedReplication).blocked = true;
  }
  return builder.build();
}

/// A device writes those elements of the (whole) update that fall into its
/// part of the operand.
static ShardingRule dynamicUpdateSlice(Operation *op) {
  llvm::ArrayRef<int64_t> whole = shapeOf(op->getOperand(0));
  llvm::ArrayRef<int64_t> update = shapeOf(op->getOperand(1));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(whole)) {
    int64_t d = dim;
    if (size == update[dim]) {
      builder.add({d, d}, {d}, size);
      continue;
    }
    builder.add({d}, {d}, size);
    builder.add({kNone, d}, {}, update[dim], FactorKind::NeedReplication);
  }
  return builder.build();
}

void attachSliceRules(MLIRContext *context) {
  attach<slice, stablehlo::SliceOp>(context);
  attach<pad, stablehlo::PadOp>(context);
  attach<concatenate, stablehlo::ConcatenateOp>(context);
  attach<dynamicSlice, stablehlo::DynamicSliceOp>(context);
  attach<dynamicUpdateSlice, stablehlo::DynamicUpdateSliceOp>(context);
}

} // namespace partopt::rules
