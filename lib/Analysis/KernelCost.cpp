//===- KernelCost.cpp - Work of a kernel ----------------------------------===//
//
// Counts by trait and by regions; only ops that move data out of its order and
// contractions are named.
//
//===----------------------------------------------------------------------===//

#include "partopt/Analysis/KernelCost.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/Layout.h"

using namespace mlir;
using namespace partopt;

static int64_t elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
}

static int64_t bytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensorBytes(tensor) : 0;
}

/// Two operations per multiplication: each result element is a sum over the
/// contracted dimensions, or over the kernel's window and input features.
static int64_t contractionFlops(Operation &op) {
  int64_t flops = 2 * elements(op.getResult(0).getType());
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    for (int64_t dim :
         dot.getDotDimensionNumbers().getLhsContractingDimensions())
      flops *= lhs.getDimSize(dim);
    return flops;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  auto rhs = cast<RankedTensorType>(convolution.getRhs().getType());
  int64_t features = rhs.getDimSize(
      convolution.getDimensionNumbers().getKernelOutputFeatureDimension());
  return features == 0 ? 0 : flops * (rhs.getNumElements() / features);
}

/// Bytes that leave their order: rows that stay whole do not count.
static int64_t shuffledBytes(Operation &op) {
  if (isa<stablehlo::GatherOp>(op))
    return 2 * bytes(op.getResult(0).getType());
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return 2 * bytes(scatter.getUpdates().front().getType());
  auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose)
    return 0;
  ArrayRef<int64_t> order = transpose.getPermutation();
  bool keepsRows =
      order.empty() || order.back() == static_cast<int64_t>(order.size()) - 1;
  return keepsRows ? 0 : 2 * bytes(transpose.getType());
}

/// What the kernel reads of `argument`.
static int64_t readBytes(BlockArgument argument) {
  int64_t picked = 0, all = bytes(argument.getType());
  for (OpOperand &use : argument.getUses()) {
    bool isPicked =
        isa<stablehlo::GatherOp, stablehlo::DynamicSliceOp, stablehlo::SliceOp>(
            use.getOwner()) &&
        use.getOperandNumber() == 0;
    if (!isPicked)
      return all;
    picked += bytes(use.getOwner()->getResult(0).getType());
  }
  return std::min(picked, all);
}

KernelWork partopt::kernelWork(func::FuncOp kernel) {
  KernelWork work;
  if (kernel.isExternal())
    return work;
  for (BlockArgument argument : kernel.getArguments())
    work.bytes += readBytes(argument);
  for (Type type : kernel.getResultTypes())
    work.bytes += bytes(type);
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasTrait<stablehlo::Elementwise>()) {
      int64_t count = elements(op.getResult(0).getType());
      work.flops += count;
      if (op.hasTrait<stablehlo::Costly>())
        work.functions += count;
    } else if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
      work.contractions += contractionFlops(op);
    } else if (op.getNumRegions() != 0 && op.getNumOperands() != 0) {
      work.flops += elements(op.getOperand(0).getType());
    }
    work.shuffled += shuffledBytes(op);
  }
  work.flops += work.contractions;
  work.shuffled = std::min(work.shuffled, work.bytes);
  return work;
}
