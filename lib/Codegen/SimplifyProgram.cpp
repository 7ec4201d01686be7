// Exact simplifications of a local program. Each keeps every bit of every
// result, signs of zeros included (payloads of NaNs excepted).
#include "FormKernels.h"
#include "KernelPlan.h"
#include "Rules.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

ArrayRef<int64_t> shapeOf(Value value) { return tensorOf(value).getShape(); }

/// The one value of all elements of a constant, through broadcasts.
Attribute splatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr attr = constantOf(value.getDefiningOp());
  return attr && attr.isSplat() ? attr.getSplatValue<Attribute>() : Attribute();
}

bool isOne(Value value) {
  Attribute splat = splatOf(value);
  if (auto number = dyn_cast_or_null<FloatAttr>(splat))
    return number.getValue().isExactlyValue(1.0);
  auto integer = dyn_cast_or_null<IntegerAttr>(splat);
  return integer && integer.getValue().isOne();
}

/// Zero of the sign that adds to (or, with `negative` false, subtracts from)
/// anything without a trace.
bool isZero(Value value, bool negative) {
  Attribute splat = splatOf(value);
  if (auto number = dyn_cast_or_null<FloatAttr>(splat))
    return number.getValue().isZero() &&
           number.getValue().isNegative() == negative;
  auto integer = dyn_cast_or_null<IntegerAttr>(splat);
  return integer && integer.getValue().isZero();
}

/// The body's only op, when it is one binary op of both arguments.
Operation *singleOp(ReduceOp reduce) {
  Block &body = reduce.getBody().front();
  Operation *op = &body.front();
  bool isSingle = body.getNumArguments() == 2 && op->getNumOperands() == 2 &&
                  op->getOperand(0) != op->getOperand(1) &&
                  isa<BlockArgument>(op->getOperand(0)) &&
                  isa<BlockArgument>(op->getOperand(1)) &&
                  op->getNextNode() == body.getTerminator();
  return isSingle ? op : nullptr;
}

/// True for sums that start at +0, which can never be -0, however they are
/// moved or summed further.
bool isNeverNegativeZero(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ReshapeOp, TransposeOp, BroadcastInDimOp, comm::AllGatherOp>(op) &&
        op->getNumOperands() == 1) {
      value = op->getOperand(0);
    } else if (auto sum = dyn_cast<comm::AllReduceOp>(op);
               sum && sum.getCombiner() == comm::CombinerKind::Sum) {
      value = sum.getOperands()[cast<OpResult>(value).getResultNumber()];
    } else {
      auto reduce = dyn_cast<ReduceOp>(op);
      return reduce && isa_and_nonnull<AddOp>(singleOp(reduce)) &&
             isZero(reduce.getInitValues()[0], false);
    }
  }
  return false;
}

Value reshaped(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(builder.create<ReshapeOp>(loc, type, value));
}

//===----------------------------------------------------------------------===//
// One function per kind of op: the replacement, or null
//===----------------------------------------------------------------------===//

Value simplifyArithmetic(Operation *op) {
  if (auto multiply = dyn_cast<MulOp>(op))
    return isOne(multiply.getRhs())   ? multiply.getLhs()
           : isOne(multiply.getLhs()) ? multiply.getRhs()
                                      : Value();
  if (auto divide = dyn_cast<DivOp>(op))
    return isOne(divide.getRhs()) ? divide.getLhs() : Value();
  if (auto add = dyn_cast<AddOp>(op))
    return isZero(add.getRhs(), true)   ? add.getLhs()
           : isZero(add.getLhs(), true) ? add.getRhs()
                                        : Value();
  if (auto subtract = dyn_cast<SubtractOp>(op))
    return isZero(subtract.getRhs(), false) ? subtract.getLhs() : Value();
  if (auto convert = dyn_cast<ConvertOp>(op))
    return convert.getOperand().getType() == convert.getType()
               ? convert.getOperand()
               : Value();
  return {};
}

Value simplifyTranspose(OpBuilder &builder, TransposeOp op) {
  // Order of the dimensions that are not of size one.
  int64_t last = -1;
  bool inOrder = true;
  for (int64_t dim : op.getPermutation()) {
    if (shapeOf(op.getOperand())[dim] == 1)
      continue;
    inOrder &= dim > last;
    last = dim;
  }
  if (inOrder)
    return reshaped(builder, op.getLoc(), op.getOperand(), op.getType());
  auto inner = op.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t dim : op.getPermutation())
    composed.push_back(inner.getPermutation()[dim]);
  auto merged =
      builder.create<TransposeOp>(op.getLoc(), op.getType(), inner.getOperand(),
                                  builder.getDenseI64ArrayAttr(composed));
  if (Value simpler = simplifyTranspose(builder, merged)) {
    merged.erase();
    return simpler;
  }
  return merged;
}

/// The value that a reshape gave dimensions of size one, and where `op` puts
/// its dimensions.
Value withoutUnitDims(BroadcastInDimOp op, SmallVectorImpl<int64_t> &dims) {
  auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!reshape)
    return {};
  SmallVector<int64_t> sizes;
  for (auto [size, dim] :
       llvm::zip(shapeOf(reshape.getResult()), op.getBroadcastDimensions()))
    if (size != 1) {
      sizes.push_back(size);
      dims.push_back(dim);
    }
  if (ArrayRef<int64_t>(sizes) == shapeOf(reshape.getOperand()))
    return reshape.getOperand();
  dims.clear();
  return {};
}

Value simplifyBroadcast(OpBuilder &builder, BroadcastInDimOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (type.getNumElements() == tensorOf(op.getOperand()).getNumElements() &&
      llvm::is_sorted(op.getBroadcastDimensions()) &&
      tensorOf(op.getOperand()).getRank() > 0)
    return reshaped(builder, op.getLoc(), op.getOperand(), type);
  SmallVector<int64_t> dims;
  if (Value source = withoutUnitDims(op, dims))
    return builder.create<BroadcastInDimOp>(op.getLoc(), type, source,
                                            builder.getDenseI64ArrayAttr(dims));
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner)
    return {};
  for (int64_t dim : inner.getBroadcastDimensions())
    dims.push_back(op.getBroadcastDimensions()[dim]);
  return builder.create<BroadcastInDimOp>(op.getLoc(), type, inner.getOperand(),
                                          builder.getDenseI64ArrayAttr(dims));
}

/// Combining one element with the initial value.
Value simplifyReduce(OpBuilder &builder, ReduceOp op) {
  if (op.getInputs().size() != 1)
    return {};
  Value input = op.getInputs()[0];
  for (int64_t dim : op.getDimensions())
    if (shapeOf(input)[dim] != 1)
      return {};
  Operation *combine = singleOp(op);
  if (!combine || combine->getNumResults() != 1)
    return {};
  Type type = op->getResult(0).getType();
  Value element = reshaped(builder, op.getLoc(), input, type);
  if (isa<AddOp>(combine) && isZero(op.getInitValues()[0], false) &&
      (isNeverNegativeZero(input) ||
       !isa<FloatType>(tensorOf(input).getElementType())))
    return element;
  Value init =
      builder.create<BroadcastInDimOp>(op.getLoc(), type, op.getInitValues()[0],
                                       builder.getDenseI64ArrayAttr({}));
  OperationState state(op.getLoc(), combine->getName());
  state.addOperands({init, element});
  state.addTypes(type);
  state.addAttributes(combine->getAttrs());
  return builder.create(state)->getResult(0);
}

/// A sum of bf16 or f16 over other than the last dimensions adds up in memory.
/// Where f32 does not fit onto the kernel's stack, the whole sum is in f32.
Value widenSum(OpBuilder &builder, ReduceOp op) {
  RankedTensorType type = tensorOf(op->getResult(0));
  Type element = type.getElementType();
  int64_t rank = tensorOf(op.getInputs()[0]).getRank();
  int64_t folded = op.getDimensions().size();
  bool isLast = llvm::all_of(op.getDimensions(),
                             [&](int64_t dim) { return dim >= rank - folded; });
  Operation *combine = op.getInputs().size() == 1 ? singleOp(op) : nullptr;
  if (!(element.isBF16() || element.isF16()) || isLast ||
      !isa_and_nonnull<AddOp, MulOp>(combine) ||
      type.getNumElements() * 4 <= KernelTarget::host().temporaryBytes / 4)
    return {};
  auto widened = [&](Value value) -> Value {
    return builder.create<ConvertOp>(
        op.getLoc(),
        RankedTensorType::get(shapeOf(value), builder.getF32Type()), value);
  };
  auto wide = builder.create<ReduceOp>(
      op.getLoc(),
      TypeRange{RankedTensorType::get(type.getShape(), builder.getF32Type())},
      ValueRange{widened(op.getInputs()[0])},
      ValueRange{widened(op.getInitValues()[0])}, op.getDimensionsAttr());
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Block *body = builder.createBlock(&wide.getBody(), {}, {scalar, scalar},
                                    {op.getLoc(), op.getLoc()});
  OperationState state(op.getLoc(), combine->getName());
  state.addOperands(body->getArguments());
  state.addTypes(scalar);
  builder.create<ReturnOp>(op.getLoc(), builder.create(state)->getResults());
  builder.setInsertionPointAfter(wide);
  return builder.create<ConvertOp>(op.getLoc(), type, wide->getResult(0));
}

Value simplify(OpBuilder &builder, Operation *op) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return simplifyTranspose(builder, transpose);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op))
    return simplifyBroadcast(builder, broadcast);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    Value simpler = simplifyReduce(builder, reduce);
    return simpler ? simpler : widenSum(builder, reduce);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    if (reshape.getOperand().getType() == reshape.getType())
      return reshape.getOperand();
    if (auto inner = reshape.getOperand().getDefiningOp<ReshapeOp>())
      return reshaped(builder, op->getLoc(), inner.getOperand(),
                      reshape.getType());
    return {};
  }
  return simplifyArithmetic(op);
}

} // namespace

void simplifyProgram(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    OpBuilder builder(&op);
    if (op.getNumResults() != 1)
      continue;
    if (Value replacement = simplify(builder, &op)) {
      op.getResult(0).replaceAllUsesWith(replacement);
      op.erase();
    }
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace partopt::codegen
