// Rules of ops that only rename or repeat elements: broadcast, reshape,
// transpose, reverse, bitcast.

#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"

#include <numeric>

using namespace mlir;

namespace partopt::rules {

/// A dimension that grows from 1 has a factor of its own on each side.
static ShardingRule broadcastInDim(Operation *op) {
  auto broadcast = cast<stablehlo::BroadcastInDimOp>(op);
  llvm::ArrayRef<int64_t> in = shapeOf(broadcast.getOperand());
  llvm::ArrayRef<int64_t> out = shapeOf(broadcast.getResult());
  llvm::SmallVector<int64_t> operandDim(out.size(), kNone);
  for (auto [i, dim] : llvm::enumerate(broadcast.getBroadcastDimensions()))
    operandDim[dim] = i;
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(out)) {
    int64_t d = dim, from = operandDim[dim];
    if (from != kNone && in[from] != size) {
      builder.add({from}, {}, in[from]);
      from = kNone;
    }
    builder.add({from}, {d}, size);
  }
  return builder.build();
}

static ShardingRule transpose(Operation *op) {
  auto transpose = cast<stablehlo::TransposeOp>(op);
  RuleBuilder builder(op);
  for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
    builder.add({from}, {int64_t(dim)}, shapeOf(op->getResult(0))[dim]);
  return builder.build();
}

static ShardingRule reverse(Operation *op) {
  auto reverse = cast<stablehlo::ReverseOp>(op);
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    bool moves = size > 1 && llvm::is_contained(reverse.getDimensions(), dim);
    builder.addPointwise(
        dim, size, moves ? FactorKind::Permutation : FactorKind::PassThrough);
  }
  return builder.build();
}

/// The last dimension of the narrower side holds the parts of one element.
static ShardingRule bitcastConvert(Operation *op) {
  llvm::ArrayRef<int64_t> in = shapeOf(op->getOperand(0));
  llvm::ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  int64_t common = std::min(in.size(), out.size());
  for (int64_t dim = 0; dim < common; ++dim)
    builder.add({dim}, {dim}, in[dim]);
  if (int64_t(in.size()) > common)
    builder.add({common}, {}, in[common], FactorKind::NeedReplication);
  if (int64_t(out.size()) > common)
    builder.add({}, {common}, out[common], FactorKind::NeedReplication);
  return builder.build();
}

namespace {
/// One side of a reshape during the walk from major to minor: the dimension,
/// what is left of it, and the stride (elements from here to the end).
struct Side {
  llvm::ArrayRef<int64_t> shape;
  size_t dim = 0;
  int64_t rest = 1;
  int64_t stride = 1;

  explicit Side(llvm::ArrayRef<int64_t> shape) : shape(shape) {
    for (int64_t size : shape)
      stride *= size;
    rest = shape.empty() ? 1 : shape[0];
  }
  bool done() const { return dim == shape.size(); }
  void next() {
    ++dim;
    rest = done() ? 1 : shape[dim];
  }
  void take(int64_t size) {
    rest /= size;
    stride /= size;
  }
};
} // namespace

/// How much to split off `far`, the side with the larger stride: what brings
/// both to the same stride if that divides, else what `near` does not share.
static int64_t unsharedPart(const Side &far, const Side &near) {
  if (far.stride % near.stride == 0 &&
      far.rest % (far.stride / near.stride) == 0)
    return far.stride / near.stride;
  int64_t common = std::gcd(far.rest, near.rest);
  return far.rest > common ? far.rest / common : common;
}

/// Where both sides stand at the same stride, their greatest common divisor is
/// one factor of both; elsewhere each side has factors of its own. Matches
/// Shardy's choice, also where the sizes do not divide.
static ShardingRule reshape(Operation *op) {
  Side in(shapeOf(op->getOperand(0))), out(shapeOf(op->getResult(0)));
  RuleBuilder builder(op);
  if (in.stride == 0) {
    // Without elements nothing has to be kept together.
    for (auto [dim, size] : llvm::enumerate(in.shape))
      builder.add({int64_t(dim)}, {}, size);
    for (auto [dim, size] : llvm::enumerate(out.shape))
      builder.add({}, {int64_t(dim)}, size);
    return builder.build();
  }
  auto ofInput = [&](int64_t size) {
    builder.add({int64_t(in.dim)}, {}, size);
    in.take(size);
  };
  auto ofOutput = [&](int64_t size) {
    builder.add({}, {int64_t(out.dim)}, size);
    out.take(size);
  };
  while (!in.done() || !out.done()) {
    if (!in.done() && in.rest == 1) {
      if (in.shape[in.dim] == 1)
        ofInput(1);
      in.next();
    } else if (!out.done() && out.rest == 1) {
      if (out.shape[out.dim] == 1)
        ofOutput(1);
      out.next();
    } else if (in.stride > out.stride) {
      ofInput(unsharedPart(in, out));
    } else if (in.stride < out.stride) {
      ofOutput(unsharedPart(out, in));
    } else if (int64_t common = std::gcd(in.rest, out.rest); common > 1) {
      builder.add({int64_t(in.dim)}, {int64_t(out.dim)}, common);
      in.take(common);
      out.take(common);
    } else {
      ofInput(in.rest);
      ofOutput(out.rest);
    }
  }
  return builder.build();
}

/// Of one value, as import leaves them.
static ShardingRule barrier(Operation *op) {
  RuleBuilder builder(op);
  if (op->getNumOperands() == 1)
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      builder.addPointwise(dim, size);
  return builder.build();
}

void attachShapeRules(MLIRContext *context) {
  attach<barrier, stablehlo::OptimizationBarrierOp>(context);
  attach<broadcastInDim, stablehlo::BroadcastInDimOp>(context);
  attach<transpose, stablehlo::TransposeOp>(context);
  attach<reverse, stablehlo::ReverseOp>(context);
  attach<bitcastConvert, stablehlo::BitcastConvertOp>(context);
  attach<reshape, stablehlo::ReshapeOp>(context);
}

} // namespace partopt::rules
