// Conversions between element types. Floats out of an integer's range saturate
// and NaN becomes 0, as in XLA.
#include "ElementwiseRules.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace partopt::codegen {
namespace {

Value floatToFloat(const Scalars &s, Value value) {
  Type from = s.type(), to = computeType(s.resultType);
  if (from == to)
    return value;
  if (to.isF64())
    return s.create<arith::ExtFOp>(to, value);
  return s.create<arith::TruncFOp>(to, value);
}

Value floatToInt(const Scalars &s, Value value) {
  Type to = computeType(s.resultType);
  unsigned width = to.getIntOrFloatBitWidth();
  bool isUnsigned = s.resultType.isUnsignedInteger();
  // [low, high): the whole floats whose truncation the type can hold.
  double low = isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1);
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1);
  APInt lowest =
      isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt highest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Value above = s.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, value,
                                        s.constant(high));
  Value below = s.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, value,
                                        s.constant(low));
  Value inside =
      s.create<arith::AndIOp>(s.create<arith::CmpFOp>(arith::CmpFPredicate::OLT,
                                                      value, s.constant(high)),
                              s.create<arith::CmpFOp>(arith::CmpFPredicate::OGE,
                                                      value, s.constant(low)));
  Value safe = s.create<arith::SelectOp>(inside, value, s.constant(0));
  Value result = isUnsigned ? s.create<arith::FPToUIOp>(to, safe)
                            : s.create<arith::FPToSIOp>(to, safe);
  auto constant = [&](const APInt &c) -> Value {
    return s.create<arith::ConstantOp>(IntegerAttr::get(to, c));
  };
  result = s.create<arith::SelectOp>(above, constant(highest), result);
  return s.create<arith::SelectOp>(below, constant(lowest), result);
}

Value intToInt(const Scalars &s, Value value) {
  Type to = computeType(s.resultType);
  unsigned from = s.type().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from > width)
    return s.create<arith::TruncIOp>(to, value);
  return s.isUnsigned() ? s.create<arith::ExtUIOp>(to, value)
                        : s.create<arith::ExtSIOp>(to, value);
}

Value toBool(const Scalars &s, Value value) {
  if (s.isFloat())
    return s.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, value,
                                   s.constant(0));
  if (s.isBool())
    return value;
  return s.create<arith::CmpIOp>(arith::CmpIPredicate::ne, value, s.integer(0));
}

/// Formats that a narrower float type has; any other is refused.
Value reducePrecision(const Scalars &s, ValueRange v) {
  auto op = cast<stablehlo::ReducePrecisionOp>(s.op);
  auto format = std::make_pair(op.getExponentBits(), op.getMantissaBits());
  Type narrow;
  if (format == std::make_pair(8u, 7u))
    narrow = s.b.getBF16Type();
  else if (format == std::make_pair(5u, 10u))
    narrow = s.b.getF16Type();
  else if (format == std::make_pair(8u, 23u))
    narrow = s.b.getF32Type();
  else if (format == std::make_pair(11u, 52u))
    return v[0];
  else
    return {};
  if (!s.type().isF64())
    return roundToElement(s.b, s.loc, narrow, v[0]);
  Value single = s.create<arith::TruncFOp>(s.b.getF32Type(), v[0]);
  single = roundToElement(s.b, s.loc, narrow, single);
  return s.create<arith::ExtFOp>(s.b.getF64Type(), single);
}

/// An element's bits, through the storage form, since registers may be wider.
Value bitsOf(ElementScope &scope, Type element, Value scalar) {
  Value stored = toStorage(scope.builder, scope.loc, element, scalar);
  Type bits = scope.builder.getIntegerType(storageBytes(element) * 8);
  if (stored.getType() == bits)
    return stored;
  return scope.builder.create<arith::BitcastOp>(scope.loc, bits, stored);
}

Value fromBits(ElementScope &scope, Type element, Value bits) {
  Type stored = storageType(element);
  if (bits.getType() != stored)
    bits = scope.builder.create<arith::BitcastOp>(scope.loc, stored, bits);
  return toCompute(scope.builder, scope.loc, element, bits);
}

/// Part `index` of `bits`, counted from the lowest.
Value partOf(ElementScope &scope, Value bits, const Index &index, Type part) {
  OpBuilder &b = scope.builder;
  Index shift = scope.scaled(index, part.getIntOrFloatBitWidth());
  Value by = b.create<arith::IndexCastUIOp>(scope.loc, bits.getType(),
                                            scope.materialize(shift));
  Value moved = b.create<arith::ShRUIOp>(scope.loc, bits, by);
  return b.create<arith::TruncIOp>(scope.loc, part, moved);
}

/// The parts along the operand's last dimension, the lowest first, as one
/// integer.
Value joinedParts(ElementScope &scope, Value operand, ArrayRef<Index> at,
                  Type whole) {
  OpBuilder &b = scope.builder;
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  int64_t width = storageBytes(element) * 8;
  Value bits;
  for (int64_t i = 0; i * width < whole.getIntOrFloatBitWidth(); ++i) {
    IndexVector place(at);
    place.push_back(Index::constant(i));
    Value scalar = scope.element(operand, place);
    if (!scalar)
      return {};
    Value part = b.create<arith::ExtUIOp>(scope.loc, whole,
                                          bitsOf(scope, element, scalar));
    if (i == 0) {
      bits = part;
      continue;
    }
    Value by = b.create<arith::ConstantOp>(scope.loc,
                                           b.getIntegerAttr(whole, i * width));
    part = b.create<arith::ShLIOp>(scope.loc, part, by);
    bits = b.create<arith::OrIOp>(scope.loc, bits, part);
  }
  return bits;
}

/// Between widths that differ, the narrower side has a last dimension of parts.
Value bitcastElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  Value operand = op->getOperand(0);
  Type from = tensorOf(operand).getElementType();
  Type to = tensorOf(op->getResult(0)).getElementType();
  if (from.isInteger(1) || to.isInteger(1)) {
    op->emitError("'") << op->getName() << "' has no kernel for element type "
                       << (from.isInteger(1) ? from : to);
    return {};
  }
  Type bits = scope.builder.getIntegerType(storageBytes(to) * 8);
  if (storageBytes(from) < storageBytes(to)) {
    Value whole = joinedParts(scope, operand, at, bits);
    return whole ? fromBits(scope, to, whole) : Value();
  }
  bool isCut = storageBytes(from) > storageBytes(to);
  Value scalar = scope.element(operand, isCut ? at.drop_back() : at);
  if (!scalar)
    return {};
  Value whole = bitsOf(scope, from, scalar);
  return fromBits(scope, to,
                  isCut ? partOf(scope, whole, at.back(), bits) : whole);
}

int64_t bitcastPrefix(Operation *op, unsigned) {
  return std::min(tensorOf(op->getOperand(0)).getRank(),
                  tensorOf(op->getResult(0)).getRank());
}

} // namespace

Value convertScalar(const Scalars &s, ValueRange v) {
  if (s.resultType.isInteger(1))
    return toBool(s, v[0]);
  bool toFloat = isa<FloatType>(s.resultType);
  if (s.isFloat())
    return toFloat ? floatToFloat(s, v[0]) : floatToInt(s, v[0]);
  if (!toFloat)
    return intToInt(s, v[0]);
  Type to = computeType(s.resultType);
  return s.isUnsigned() ? s.create<arith::UIToFPOp>(to, v[0])
                        : s.create<arith::SIToFPOp>(to, v[0]);
}

void addConversionRules(RuleTable &t) {
  t.add<stablehlo::ConvertOp>(elementwiseRule<convertScalar>());
  t.add<stablehlo::ReducePrecisionOp>(elementwiseRule<reducePrecision>(6));
  OpRule bitcast;
  bitcast.element = bitcastElement;
  bitcast.special = complexForm;
  bitcast.prefix = bitcastPrefix;
  t.add<stablehlo::BitcastConvertOp>(bitcast);
}

} // namespace partopt::codegen
