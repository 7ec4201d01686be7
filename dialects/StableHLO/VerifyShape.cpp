//===- VerifyShape.cpp - checks of movements of dimensions ----------------===//
//
// Each op's result shape follows from its operands and attributes; the check
// computes it and compares.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ShapeOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

LogicalResult ConstantOp::verify() {
  return verifyType(*this, "result", getType(), getValue().getType());
}

LogicalResult IotaOp::verify() {
  int64_t dim = getIotaDimension();
  if (dim >= 0 && dim < getType().getRank())
    return success();
  return emitOpError() << "dim = " << dim << " is not below the rank "
                       << getType().getRank() << " of " << getType();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(verifyLength(*this, "dims", dims, "operand", operand)) ||
      failed(verifyDimensions(*this, "dims", dims, result.getRank())))
    return failure();
  for (auto [from, to] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(from);
    if (size != 1 && size != result.getDimSize(to))
      return emitOpError() << "operand dimension " << from << " of size "
                           << size
                           << " must be 1 or as large as result dimension "
                           << to << " of size " << result.getDimSize(to);
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  int64_t before = getOperand().getType().getNumElements();
  int64_t after = getType().getNumElements();
  if (before == after)
    return success();
  return emitOpError() << "operand " << getOperand().getType() << " has "
                       << before << " elements, but the result " << getType()
                       << " has " << after;
}

/// Bits of one element.
static int64_t widthOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getType();
  int64_t from = widthOf(operand.getElementType());
  int64_t to = widthOf(result.getElementType());
  if (isa<ComplexType>(operand.getElementType()) !=
      isa<ComplexType>(result.getElementType()))
    return emitOpError() << "both or none of the types must be complex, but "
                            "they are "
                         << operand << " and " << result;
  // The narrower side has one more dimension, as large as the ratio of widths.
  SmallVector<int64_t> shape(operand.getShape());
  if (from > to && from % to == 0) {
    shape.push_back(from / to);
  } else if (from < to) {
    if (to % from != 0 || shape.empty() || shape.back() != to / from)
      return emitOpError() << "the last dimension of the operand " << operand
                           << " must be the ratio of the widths " << to
                           << " and " << from << " of the element types";
    shape.pop_back();
  }
  return verifyType(*this, "result", result,
                    RankedTensorType::get(shape, result.getElementType()));
}

LogicalResult TransposeOp::verify() {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> dims = getPermutation();
  if (failed(verifyLength(*this, "dims", dims, "operand", operand)) ||
      failed(verifyDimensions(*this, "dims", dims, operand.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    shape.push_back(operand.getDimSize(dim));
  return verifyType(*this, "result", getType(), operand.clone(shape));
}

LogicalResult ReverseOp::verify() {
  return verifyDimensions(*this, "dims", getDimensions(), getType().getRank());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs one input or more";
  RankedTensorType first = tensorTypeOf(getInputs().front());
  int64_t dim = getDimension();
  if (dim < 0 || dim >= first.getRank())
    return emitOpError() << "dim = " << dim << " is not below the rank "
                         << first.getRank() << " of " << first;
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    RankedTensorType type = tensorTypeOf(input);
    SmallVector<int64_t> other(type.getShape());
    if (type.getRank() == first.getRank())
      other[dim] = first.getDimSize(dim);
    if (ArrayRef(other) != first.getShape())
      return emitOpError() << "input " << index << " of type " << type
                           << " must equal input 0 of type " << first
                           << " except in dimension " << dim;
    shape[dim] += type.getDimSize(dim);
  }
  return verifyType(*this, "result", getType(), first.clone(shape));
}

LogicalResult PadOp::verify() {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> low = getEdgePaddingLow(), high = getEdgePaddingHigh(),
                    interior = getInteriorPadding();
  if (failed(verifyType(*this, "padding value", getPaddingValue().getType(),
                        scalarOf(operand))) ||
      failed(verifyLength(*this, "low", low, "operand", operand)) ||
      failed(verifyLength(*this, "high", high, "operand", operand)) ||
      failed(verifyLength(*this, "interior", interior, "operand", operand)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(operand.getShape())) {
    if (interior[dim] < 0)
      return emitOpError() << "interior = " << listText(interior)
                           << " must not be negative";
    std::optional<int64_t> padded =
        paddedSize(size, low[dim], high[dim], interior[dim]);
    if (!padded)
      return emitOpError() << "dimension " << dim << " of size " << size
                           << " with low " << low[dim] << ", high " << high[dim]
                           << " and interior " << interior[dim]
                           << " has no valid size";
    shape.push_back(*padded);
  }
  return verifyType(*this, "result", getType(), operand.clone(shape));
}
