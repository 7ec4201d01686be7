// Transcendental functions and rounding: ops of the math dialect on floats,
// powers also on integers.
#include "ElementwiseRules.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

template <typename Op> Value unary(const Scalars &s, ValueRange v) {
  return s.isFloat() ? s.create<Op>(v[0]) : Value();
}

template <typename Op> Value binary(const Scalars &s, ValueRange v) {
  return s.isFloat() ? s.create<Op>(v[0], v[1]) : Value();
}

Value logistic(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  Value power = s.create<math::ExpOp>(s.create<arith::NegFOp>(v[0]));
  Value one = s.constant(1);
  return s.create<arith::DivFOp>(one, s.create<arith::AddFOp>(one, power));
}

/// The value of an operand that is one constant in all its elements.
std::optional<double> splatConstant(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr attr = constantOf(value.getDefiningOp());
  if (!attr || !attr.isSplat())
    return std::nullopt;
  APFloat number = attr.getSplatValue<APFloat>();
  bool exact;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
  return number.convertToDouble();
}

/// x^n for integers by squaring; a negative n gives 0 except for x = 1, -1.
Value powerInt(const Scalars &s, ValueRange v) {
  unsigned width = s.type().getIntOrFloatBitWidth();
  Value result = s.integer(1), base = v[0];
  auto loop = s.b.create<scf::ForOp>(
      s.loc, s.create<arith::ConstantIndexOp>(0),
      s.create<arith::ConstantIndexOp>(width),
      s.create<arith::ConstantIndexOp>(1), ValueRange{result, base, v[1]},
      [&](OpBuilder &b, Location loc, Value, ValueRange state) {
        Value one =
            b.create<arith::ConstantOp>(loc, b.getIntegerAttr(s.type(), 1));
        Value bit = b.create<arith::TruncIOp>(loc, b.getI1Type(), state[2]);
        Value product = b.create<arith::MulIOp>(loc, state[0], state[1]);
        Value next = b.create<arith::SelectOp>(loc, bit, product, state[0]);
        Value square = b.create<arith::MulIOp>(loc, state[1], state[1]);
        Value rest = b.create<arith::ShRUIOp>(loc, state[2], one);
        b.create<scf::YieldOp>(loc, ValueRange{next, square, rest});
      });
  result = loop.getResult(0);
  if (s.isUnsigned())
    return result;
  // 1^n and (-1)^n are right from the low bits of n, negative or not.
  Value negative =
      s.create<arith::CmpIOp>(arith::CmpIPredicate::slt, v[1], s.integer(0));
  Value isUnit = s.create<arith::CmpIOp>(
      arith::CmpIPredicate::eq, s.create<math::AbsIOp>(v[0]), s.integer(1));
  Value inverse = s.create<arith::SelectOp>(isUnit, result, s.integer(0));
  return s.create<arith::SelectOp>(negative, inverse, result);
}

Value power(const Scalars &s, ValueRange v) {
  if (s.isBool())
    return {};
  if (!s.isFloat())
    return powerInt(s, v);
  auto multiply = [&](Value x, Value y) -> Value {
    return s.create<arith::MulFOp>(x, y);
  };
  std::optional<double> exponent = splatConstant(s.op->getOperand(1));
  if (exponent == 1.0)
    return v[0];
  if (exponent == 2.0)
    return multiply(v[0], v[0]);
  if (exponent == 3.0)
    return multiply(multiply(v[0], v[0]), v[0]);
  if (exponent == -1.0)
    return s.create<arith::DivFOp>(s.constant(1), v[0]);
  return s.create<math::PowFOp>(v[0], v[1]);
}

/// |x| < infinity, which no NaN is.
Value isFinite(const Scalars &s, ValueRange v) {
  return s.create<arith::CmpFOp>(
      arith::CmpFPredicate::OLT, s.create<math::AbsFOp>(v[0]),
      s.constant(std::numeric_limits<double>::infinity()));
}

template <bool positive, bool negative>
Value isInfinite(const Scalars &s, ValueRange v) {
  Value limit =
      s.constant((positive ? 1 : -1) * std::numeric_limits<double>::infinity());
  Value x = positive && negative ? s.create<math::AbsFOp>(v[0]) : v[0];
  return s.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, limit);
}

} // namespace

void addFunctionRules(RuleTable &t) {
  using namespace stablehlo;
  t.add<CeilOp>(elementwiseRule<unary<math::CeilOp>>());
  t.add<FloorOp>(elementwiseRule<unary<math::FloorOp>>());
  t.add<RoundOp>(elementwiseRule<unary<math::RoundOp>>(3));
  t.add<RoundNearestEvenOp>(elementwiseRule<unary<math::RoundEvenOp>>());
  t.add<ExpOp>(elementwiseRule<unary<math::ExpOp>>(20));
  t.add<Expm1Op>(elementwiseRule<unary<math::ExpM1Op>>(30));
  t.add<LogOp>(elementwiseRule<unary<math::LogOp>>(25));
  t.add<Log1pOp>(elementwiseRule<unary<math::Log1pOp>>(30));
  t.add<LogisticOp>(elementwiseRule<logistic>(25));
  t.add<TanhOp>(elementwiseRule<unary<math::TanhOp>>(30));
  t.add<SqrtOp>(elementwiseRule<unary<math::SqrtOp>>(5));
  t.add<RsqrtOp>(elementwiseRule<unary<math::RsqrtOp>>(9));
  t.add<CbrtOp>(elementwiseRule<unary<math::CbrtOp>>(40));
  t.add<SineOp>(elementwiseRule<unary<math::SinOp>>(40));
  t.add<CosineOp>(elementwiseRule<unary<math::CosOp>>(40));
  t.add<TanOp>(elementwiseRule<unary<math::TanOp>>(40));
  t.add<Atan2Op>(elementwiseRule<binary<math::Atan2Op>>(40));
  t.add<PowOp>(elementwiseRule<power>(40));
  t.add<IsFiniteOp>(elementwiseRule<isFinite>());
  t.add<chlo::AcosOp>(elementwiseRule<unary<math::AcosOp>>(40));
  t.add<chlo::AcoshOp>(elementwiseRule<unary<math::AcoshOp>>(40));
  t.add<chlo::AsinOp>(elementwiseRule<unary<math::AsinOp>>(40));
  t.add<chlo::AsinhOp>(elementwiseRule<unary<math::AsinhOp>>(40));
  t.add<chlo::AtanOp>(elementwiseRule<unary<math::AtanOp>>(40));
  t.add<chlo::AtanhOp>(elementwiseRule<unary<math::AtanhOp>>(40));
  t.add<chlo::CoshOp>(elementwiseRule<unary<math::CoshOp>>(40));
  t.add<chlo::SinhOp>(elementwiseRule<unary<math::SinhOp>>(40));
  t.add<chlo::TanOp>(elementwiseRule<unary<math::TanOp>>(40));
  t.add<chlo::IsInfOp>(elementwiseRule<isInfinite<true, true>>());
  t.add<chlo::IsPosInfOp>(elementwiseRule<isInfinite<true, false>>());
  t.add<chlo::IsNegInfOp>(elementwiseRule<isInfinite<false, true>>());
}

} // namespace partopt::codegen
