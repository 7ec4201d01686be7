//===- CanonicalizationElementwise.cpp - folds of arithmetic --------------===//
//
// Identities that hold for every value, and arithmetic on two splats. What is
// not exact is left alone: x + 0.0 changes the sign of -0.0, a NaN's bits
// depend on the machine, a division by zero has no defined integer.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/Canonicalization.h"
#include "dialects/StableHLO/ElementwiseOps.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace partopt::stablehlo;

bool partopt::stablehlo::isIntSplat(Attribute value, int64_t number) {
  DenseElementsAttr splat = splatOf(value);
  if (!splat || !isa<IntegerType>(splat.getElementType()))
    return false;
  APInt element = splat.getSplatValue<APInt>();
  return element == APInt(64, number, /*isSigned=*/true)
                        .sextOrTrunc(element.getBitWidth());
}

bool partopt::stablehlo::isFloatSplat(Attribute value, double number) {
  DenseElementsAttr splat = splatOf(value);
  if (!splat || !isa<FloatType>(splat.getElementType()))
    return false;
  return splat.getSplatValue<APFloat>().bitwiseIsEqual([&] {
    APFloat wanted(number);
    bool losesInfo;
    wanted.convert(cast<FloatType>(splat.getElementType()).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    return wanted;
  }());
}

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

using IntFold = function_ref<std::optional<APInt>(APSInt, APSInt)>;
using FloatFold = function_ref<APFloat(APFloat, APFloat)>;

/// \p lhs op \p rhs for two splats of one type; nothing if either is not one,
/// if there is no defined result, or if it is a NaN.
static DenseElementsAttr foldSplats(Attribute lhs, Attribute rhs,
                                    IntFold foldInt, FloatFold foldFloat) {
  DenseElementsAttr left = splatOf(lhs), right = splatOf(rhs);
  if (!left || !right || left.getType() != right.getType())
    return {};
  Type element = left.getElementType();
  if (isa<FloatType>(element) && foldFloat) {
    APFloat value = foldFloat(left.getSplatValue<APFloat>(),
                              right.getSplatValue<APFloat>());
    return value.isNaN() ? DenseElementsAttr()
                         : DenseElementsAttr::get(left.getType(), value);
  }
  if (!isa<IntegerType>(element) || !foldInt)
    return {};
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  std::optional<APInt> value =
      foldInt(APSInt(left.getSplatValue<APInt>(), isUnsigned),
              APSInt(right.getSplatValue<APInt>(), isUnsigned));
  return value ? DenseElementsAttr::get(left.getType(), *value)
               : DenseElementsAttr();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIntSplat(adaptor.getRhs(), 0) || isFloatSplat(adaptor.getRhs(), -0.0))
    return getLhs();
  // On booleans addition is `or`.
  bool isPred = isPredTensor(getType());
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [&](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return isPred ? APInt(l) | APInt(r) : APInt(l) + APInt(r);
      },
      [](const APFloat &l, const APFloat &r) { return l + r; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIntSplat(adaptor.getRhs(), 0) || isFloatSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l) - APInt(r);
      },
      [](const APFloat &l, const APFloat &r) { return l - r; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIntSplat(adaptor.getRhs(), 1) || isFloatSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  if (isIntSplat(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l) * APInt(r);
      },
      [](const APFloat &l, const APFloat &r) { return l * r; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIntSplat(adaptor.getRhs(), 1) || isFloatSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        bool overflows = l.isSigned() && l.isMinSignedValue() && r.isAllOnes();
        if (r.isZero() || overflows)
          return std::nullopt;
        return APInt(l / r);
      },
      [](const APFloat &l, const APFloat &r) { return l / r; });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getLhs() == getRhs())
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l < r ? r : l);
      },
      [](const APFloat &l, const APFloat &r) { return llvm::maximum(l, r); });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getLhs() == getRhs())
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(r < l ? r : l);
      },
      [](const APFloat &l, const APFloat &r) { return llvm::minimum(l, r); });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    if (!isAnnotated(inner))
      return inner.getOperand();
  Attribute operand = adaptor.getOperand();
  return foldSplats(
      operand, operand,
      [](const APSInt &l, const APSInt &) -> std::optional<APInt> {
        return -APInt(l);
      },
      [](const APFloat &l, const APFloat &) { return -l; });
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    if (!isAnnotated(inner))
      return inner.getOperand();
  Attribute operand = adaptor.getOperand();
  return foldSplats(
      operand, operand,
      [](const APSInt &l, const APSInt &) -> std::optional<APInt> {
        return ~APInt(l);
      },
      nullptr);
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getLhs() == getRhs() || isIntSplat(adaptor.getRhs(), -1))
    return getLhs();
  if (isIntSplat(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l) & APInt(r);
      },
      nullptr);
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getLhs() == getRhs() || isIntSplat(adaptor.getRhs(), 0))
    return getLhs();
  if (isIntSplat(adaptor.getRhs(), -1))
    return adaptor.getRhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l) | APInt(r);
      },
      nullptr);
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIntSplat(adaptor.getRhs(), 0))
    return getLhs();
  return foldSplats(
      adaptor.getLhs(), adaptor.getRhs(),
      [](const APSInt &l, const APSInt &r) -> std::optional<APInt> {
        return APInt(l) ^ APInt(r);
      },
      nullptr);
}

//===----------------------------------------------------------------------===//
// Selection and conversion
//===----------------------------------------------------------------------===//

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  DenseElementsAttr pred = splatOf(adaptor.getPred());
  if (!pred)
    return {};
  return pred.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
}

/// An integer splat as \p to; a boolean counts as 0 or 1.
static DenseElementsAttr convertInt(DenseElementsAttr splat,
                                    RankedTensorType to) {
  Type from = splat.getElementType();
  APInt value = splat.getSplatValue<APInt>();
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  Type element = to.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    APFloat converted(floatType.getFloatSemantics());
    converted.convertFromAPInt(value, !isUnsigned,
                               APFloat::rmNearestTiesToEven);
    return converted.isFinite() ? DenseElementsAttr::get(to, converted)
                                : DenseElementsAttr();
  }
  if (!isa<IntegerType>(element))
    return {};
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    value = APInt(1, !value.isZero());
  else
    value = isUnsigned ? value.zextOrTrunc(width) : value.sextOrTrunc(width);
  return DenseElementsAttr::get(to, value);
}

/// A float splat as \p to; nothing for a NaN and for a value that an integer
/// type cannot hold.
static DenseElementsAttr convertFloat(DenseElementsAttr splat,
                                      RankedTensorType to) {
  APFloat value = splat.getSplatValue<APFloat>();
  Type element = to.getElementType();
  if (value.isNaN())
    return {};
  if (auto floatType = dyn_cast<FloatType>(element)) {
    bool losesInfo;
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.isNaN() ? DenseElementsAttr()
                         : DenseElementsAttr::get(to, value);
  }
  if (!isa<IntegerType>(element))
    return {};
  if (element.isInteger(1))
    return DenseElementsAttr::get(to, APInt(1, !value.isZero()));
  APSInt integer(element.getIntOrFloatBitWidth(), element.isUnsignedInteger());
  bool isExact;
  if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) &
      APFloat::opInvalidOp)
    return {};
  return DenseElementsAttr::get(to, APInt(integer));
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getOperand().getType() == getType())
    return getOperand();
  DenseElementsAttr splat = splatOf(adaptor.getOperand());
  if (!splat)
    return {};
  if (isa<IntegerType>(splat.getElementType()))
    return convertInt(splat, getType());
  if (isa<FloatType>(splat.getElementType()))
    return convertFloat(splat, getType());
  return {};
}
