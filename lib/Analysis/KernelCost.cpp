//===- KernelCost.cpp - Work of a kernel ----------------------------------===//
//
// Counts by trait and by regions; only ops that move data out of its order and
// contractions are named.
//
//===----------------------------------------------------------------------===//

#include "partopt/Analysis/KernelCost.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/Layout.h"
#include "partopt/Support/KernelAttributes.h"

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

Value partopt::partlyWritten(OpResult result) {
  if (auto update =
          dyn_cast<stablehlo::DynamicUpdateSliceOp>(result.getOwner()))
    return update.getOperand();
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(result.getOwner()))
    return scatter.getInputs()[result.getResultNumber()];
  return {};
}

/// The argument that result `number` of the kernel is written over in part, or
/// null.
static BlockArgument updatedInPlace(func::FuncOp kernel, unsigned number,
                                    bool wherePossible) {
  Operation *end = kernel.getBody().front().getTerminator();
  auto result = dyn_cast<OpResult>(end->getOperand(number));
  auto argument =
      dyn_cast_or_null<BlockArgument>(result ? partlyWritten(result) : Value());
  if (!argument)
    return {};
  unsigned i = argument.getArgNumber();
  auto over = kernel.getArgAttrOfType<IntegerAttr>(i, kOverwriteAttr);
  auto may = kernel.getArgAttrOfType<DenseI64ArrayAttr>(i, kMayOverwriteAttr);
  bool isPossible =
      may && llvm::is_contained(may.asArrayRef(), int64_t(number));
  return (over && over.getInt() == number) || (wherePossible && isPossible)
             ? argument
             : BlockArgument();
}

/// What the kernel reads of its arguments and writes of its results.
static int64_t touchedBytes(func::FuncOp kernel, bool wherePossible) {
  int64_t sum = 0;
  llvm::SmallDenseSet<Value> inPlace;
  Operation *end = kernel.getBody().front().getTerminator();
  for (unsigned i = 0, n = kernel.getNumResults(); i < n; ++i) {
    BlockArgument argument = updatedInPlace(kernel, i, wherePossible);
    if (!argument) {
      sum += bytes(kernel.getResultTypes()[i]);
      continue;
    }
    // The update alone; a scatter reads what it combines with.
    inPlace.insert(argument);
    Operation *op = end->getOperand(i).getDefiningOp();
    if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
      sum += 2 * bytes(scatter.getUpdates().front().getType());
    else
      sum += bytes(op->getOperand(1).getType());
  }
  for (BlockArgument argument : kernel.getArguments())
    if (!inPlace.contains(argument) || !argument.hasOneUse())
      sum += readBytes(argument);
  return sum;
}

KernelWork partopt::kernelWork(func::FuncOp kernel, bool inPlace) {
  KernelWork work;
  if (kernel.isExternal())
    return work;
  work.bytes = touchedBytes(kernel, inPlace);
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
