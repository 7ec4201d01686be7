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

/// Same bits: through the storage form, since registers may be wider.
Value bitcastConvert(const Scalars &s, ValueRange v) {
  if (storageBytes(s.operandType) != storageBytes(s.resultType) || s.isBool() ||
      s.resultType.isInteger(1))
    return {};
  Value stored = toStorage(s.b, s.loc, s.operandType, v[0]);
  Type to = storageType(s.resultType);
  if (stored.getType() != to)
    stored = s.create<arith::BitcastOp>(to, stored);
  return toCompute(s.b, s.loc, s.resultType, stored);
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
  t.add<stablehlo::BitcastConvertOp>(elementwiseRule<bitcastConvert>());
}

} // namespace partopt::codegen
