//===- VerifyElementwise.cpp - checks of elementwise ops ------------------===//
//
// Shapes are checked by traits; here stand the relations of element types and
// the operands that may be scalars.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ElementwiseOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

/// The result has the operand's element type, or its real part's if complex.
static LogicalResult verifyRealPart(Operation *op) {
  RankedTensorType operand = tensorTypeOf(op->getOperand(0));
  Type element = operand.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return verifyType(op, "result", op->getResult(0).getType(),
                    operand.clone(element));
}

LogicalResult AbsOp::verify() { return verifyRealPart(*this); }
LogicalResult RealOp::verify() { return verifyRealPart(*this); }
LogicalResult ImagOp::verify() { return verifyRealPart(*this); }

LogicalResult ReducePrecisionOp::verify() {
  auto exponent = static_cast<int32_t>(getExponentBits());
  auto mantissa = static_cast<int32_t>(getMantissaBits());
  if (exponent >= 1 && mantissa >= 0)
    return success();
  return emitOpError() << "format e" << exponent << "m" << mantissa
                       << " needs 1 or more exponent bits and no negative "
                          "number of mantissa bits";
}

LogicalResult ComplexOp::verify() {
  RankedTensorType part = getLhs().getType();
  if (failed(verifyType(*this, "operand #1", getRhs().getType(), part)))
    return failure();
  return verifyType(*this, "result", getType(),
                    part.clone(ComplexType::get(part.getElementType())));
}

/// The comparison types that mean something for \p element; the first is the
/// one that an absent type stands for.
static SmallVector<ComparisonType> comparisonTypesOf(Type element) {
  if (isa<FloatType>(element))
    return {ComparisonType::FLOAT, ComparisonType::TOTALORDER};
  if (isa<ComplexType>(element))
    return {ComparisonType::FLOAT};
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return {isUnsigned ? ComparisonType::UNSIGNED : ComparisonType::SIGNED};
}

LogicalResult CompareOp::verify() {
  if (failed(verifyType(*this, "operand #1", getRhs().getType(),
                        getLhs().getType())))
    return failure();
  Type element = getLhs().getType().getElementType();
  ComparisonDirection direction = getComparisonDirection();
  if (isa<ComplexType>(element) && direction != ComparisonDirection::EQ &&
      direction != ComparisonDirection::NE)
    return emitOpError()
           << "complex values have no order, but the direction is "
           << stringifyComparisonDirection(direction);
  std::optional<ComparisonType> type = getCompareType();
  SmallVector<ComparisonType> allowed = comparisonTypesOf(element);
  if (!type || *type == ComparisonType::NOTYPE ||
      llvm::is_contained(allowed, *type))
    return success();
  InFlightDiagnostic diag = emitOpError() << "comparison type "
                                          << stringifyComparisonType(*type)
                                          << " does not suit the element type "
                                          << element << "; use ";
  llvm::interleave(
      allowed, diag,
      [&](ComparisonType each) { diag << stringifyComparisonType(each); },
      " or ");
  return diag;
}

LogicalResult ClampOp::verify() {
  RankedTensorType operand = getOperand().getType();
  for (auto [name, bound] :
       {std::pair("min", getMin()), std::pair("max", getMax())})
    if (bound.getType() != operand && bound.getType() != scalarOf(operand))
      return emitOpError() << name << " must have type " << operand << " or "
                           << scalarOf(operand) << ", but has type "
                           << bound.getType();
  return verifyType(*this, "result", getType(), operand);
}

LogicalResult SelectOp::verify() {
  RankedTensorType onTrue = getOnTrue().getType();
  RankedTensorType pred = getPred().getType();
  if (pred.getRank() != 0 && pred.getShape() != onTrue.getShape())
    return emitOpError() << "pred must have type " << scalarOf(pred) << " or "
                         << onTrue.clone(pred.getElementType())
                         << ", but has type " << pred;
  if (failed(verifyType(*this, "on_false", getOnFalse().getType(), onTrue)))
    return failure();
  return verifyType(*this, "result", getType(), onTrue);
}
