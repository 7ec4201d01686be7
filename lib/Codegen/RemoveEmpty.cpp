// Takes tensors without elements out of a local program's computation: what has
// no element is a constant, and what only reads none is what remains without
// it. Loops of kernels then never have a dimension of size zero.
#include "FormKernels.h"
#include "Rules.h"

#include "dialects/StableHLO/Windows.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

bool isEmpty(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
}

Value broadcast(OpBuilder &builder, Location loc, Value scalar, Type type) {
  return builder.create<BroadcastInDimOp>(loc, type, scalar,
                                          builder.getDenseI64ArrayAttr({}));
}

Value zeros(OpBuilder &builder, Location loc, Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  auto scalar = RankedTensorType::get({}, element);
  Value zero = builder.create<ConstantOp>(
      loc, scalar,
      DenseElementsAttr::get(scalar, combinerIdentity(element, Combiner::Sum)));
  return broadcast(builder, loc, zero, type);
}

/// `op` without its empty operands; null when it has none.
Value withoutEmptyParts(OpBuilder &builder, ConcatenateOp op) {
  SmallVector<Value> parts;
  for (Value part : op->getOperands())
    if (!isEmpty(part))
      parts.push_back(part);
  if (parts.size() == op->getNumOperands())
    return {};
  if (parts.size() == 1)
    return parts.front();
  Operation *shorter = builder.clone(*op);
  shorter->setOperands(parts);
  return shorter->getResult(0);
}

/// `op` on operands of one element of padding in place of none: all that its
/// windows hold is padding either way.
Operation *onPadding(OpBuilder &builder, ReduceWindowOp op) {
  auto from = cast<RankedTensorType>(op.getInputs()[0].getType());
  SmallVector<int64_t> shape(from.getShape()), padding;
  for (auto [size, window] : llvm::zip(shape, windowsOf(op))) {
    bool isEmptyDim = size == 0;
    padding.append({window.low, window.high - isEmptyDim});
    size += isEmptyDim;
  }
  auto windowed = cast<ReduceWindowOp>(builder.clone(*op));
  for (auto [i, init] : llvm::enumerate(op.getInitValues()))
    windowed->setOperand(
        i, broadcast(
               builder, op.getLoc(), init,
               RankedTensorType::get(shape, tensorOf(init).getElementType())));
  auto type =
      RankedTensorType::get({int64_t(shape.size()), 2}, builder.getI64Type());
  windowed.setPaddingAttr(DenseIntElementsAttr::get(type, padding));
  return windowed;
}

/// What `op`, whose results have elements, computes when operands have none;
/// nothing when that needs no change.
SmallVector<Value> withoutEmptyOperands(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> values;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (isEmpty(reduce.getInputs().front()))
      for (auto [init, result] :
           llvm::zip(reduce.getInitValues(), reduce->getResults()))
        values.push_back(broadcast(builder, loc, init, result.getType()));
  } else if (auto concatenate = dyn_cast<ConcatenateOp>(op)) {
    if (Value shorter = withoutEmptyParts(builder, concatenate))
      values.push_back(shorter);
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    if (isEmpty(pad.getOperand()))
      values.push_back(
          broadcast(builder, loc, pad.getPaddingValue(), pad.getType()));
  } else if (auto window = dyn_cast<ReduceWindowOp>(op)) {
    if (isEmpty(window.getInputs().front()))
      llvm::append_range(values, onPadding(builder, window)->getResults());
  } else if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    if (isEmpty(convolution.getLhs()) || isEmpty(convolution.getRhs()))
      values.push_back(zeros(builder, loc, convolution.getType()));
  } else if (auto scatter = dyn_cast<SelectAndScatterOp>(op)) {
    if (isEmpty(scatter.getSource()))
      values.push_back(
          broadcast(builder, loc, scatter.getInitValue(), scatter.getType()));
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    if (isEmpty(scatter.getUpdates().front()))
      llvm::append_range(values, scatter.getInputs());
  } else if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) {
    if (isEmpty(update.getUpdate()))
      values.push_back(update.getOperand());
  }
  return values;
}

} // namespace

void removeEmpty(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() == 0 || isa<ConstantOp>(op) ||
        !isa<StableHLODialect>(op.getDialect()) || !isMemoryEffectFree(&op))
      continue;
    OpBuilder builder(&op);
    SmallVector<Value> values;
    if (llvm::all_of(op.getResults(), isEmpty)) {
      for (Value result : op.getResults())
        values.push_back(builder.create<ConstantOp>(
            op.getLoc(),
            DenseElementsAttr::get(cast<RankedTensorType>(result.getType()),
                                   ArrayRef<Attribute>())));
    } else {
      values = withoutEmptyOperands(builder, &op);
    }
    if (values.empty())
      continue;
    op.replaceAllUsesWith(values);
    op.erase();
  }
}

} // namespace partopt::codegen
