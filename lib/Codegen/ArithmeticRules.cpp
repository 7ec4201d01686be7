// Arithmetic, logic, comparison and selection on scalars. Integer cases that
// LLVM leaves undefined (division by zero, shifts past the width) get the
// values that XLA gives them.
#include "ElementwiseRules.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// One arith op per kind of element type; `void` where the kind has none.
template <typename Float, typename Signed, typename Unsigned, typename Bool>
Value byKind(const Scalars &s, ValueRange v) {
  auto make = [&](auto *tag) -> Value {
    using Op = std::remove_pointer_t<decltype(tag)>;
    if constexpr (std::is_void_v<Op>)
      return {};
    else
      return s.create<Op>(v[0], v[1]);
  };
  if (s.isFloat())
    return make(static_cast<Float *>(nullptr));
  if (s.isBool())
    return make(static_cast<Bool *>(nullptr));
  if (s.isUnsigned())
    return make(static_cast<Unsigned *>(nullptr));
  return make(static_cast<Signed *>(nullptr));
}

constexpr ScalarFn add =
    byKind<arith::AddFOp, arith::AddIOp, arith::AddIOp, arith::OrIOp>;
constexpr ScalarFn subtract =
    byKind<arith::SubFOp, arith::SubIOp, arith::SubIOp, void>;
constexpr ScalarFn multiply =
    byKind<arith::MulFOp, arith::MulIOp, arith::MulIOp, arith::AndIOp>;
constexpr ScalarFn maximum =
    byKind<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::OrIOp>;
constexpr ScalarFn minimum =
    byKind<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp>;
constexpr ScalarFn logicalAnd =
    byKind<void, arith::AndIOp, arith::AndIOp, arith::AndIOp>;
constexpr ScalarFn logicalOr =
    byKind<void, arith::OrIOp, arith::OrIOp, arith::OrIOp>;
constexpr ScalarFn logicalXor =
    byKind<void, arith::XOrIOp, arith::XOrIOp, arith::XOrIOp>;

Value select(const Scalars &s, Value condition, Value x, Value y) {
  return s.create<arith::SelectOp>(condition, x, y);
}

Value compareInt(const Scalars &s, arith::CmpIPredicate predicate, Value x,
                 Value y) {
  return s.create<arith::CmpIOp>(predicate, x, y);
}

/// Division or remainder of integers. Division by zero gives all ones, its
/// remainder the dividend; the smallest value by -1 gives itself, remainder 0.
template <typename SignedOp, typename UnsignedOp, bool isRemainder>
Value divideInt(const Scalars &s, ValueRange v) {
  Value zero = s.integer(0), one = s.integer(1), ones = s.integer(-1);
  Value byZero = compareInt(s, arith::CmpIPredicate::eq, v[1], zero);
  Value unsafe = byZero, overflows;
  if (!s.isUnsigned()) {
    unsigned width = s.type().getIntOrFloatBitWidth();
    Value lowest = s.create<arith::ConstantOp>(
        IntegerAttr::get(s.type(), APInt::getSignedMinValue(width)));
    overflows = s.create<arith::AndIOp>(
        compareInt(s, arith::CmpIPredicate::eq, v[0], lowest),
        compareInt(s, arith::CmpIPredicate::eq, v[1], ones));
    unsafe = s.create<arith::OrIOp>(byZero, overflows);
  }
  Value divisor = select(s, unsafe, one, v[1]);
  // Dividing by one leaves the lowest value, whose remainder is zero: the
  // overflow case needs no selection of its own.
  Value result = s.isUnsigned() ? s.create<UnsignedOp>(v[0], divisor)
                                : s.create<SignedOp>(v[0], divisor);
  return select(s, byZero, isRemainder ? v[0] : ones, result);
}

Value divide(const Scalars &s, ValueRange v) {
  if (s.isFloat())
    return s.create<arith::DivFOp>(v[0], v[1]);
  return s.isBool() ? Value()
                    : divideInt<arith::DivSIOp, arith::DivUIOp, false>(s, v);
}

Value remainder(const Scalars &s, ValueRange v) {
  if (s.isFloat())
    return s.create<arith::RemFOp>(v[0], v[1]);
  return s.isBool() ? Value()
                    : divideInt<arith::RemSIOp, arith::RemUIOp, true>(s, v);
}

/// Shifts by the width or more: zero, or copies of the sign.
template <typename Op, bool keepsSign>
Value shift(const Scalars &s, ValueRange v) {
  int64_t width = s.type().getIntOrFloatBitWidth();
  Value fits = compareInt(s, arith::CmpIPredicate::ult, v[1], s.integer(width));
  if (keepsSign)
    return s.create<Op>(v[0], select(s, fits, v[1], s.integer(width - 1)));
  Value amount = select(s, fits, v[1], s.integer(0));
  return select(s, fits, s.create<Op>(v[0], amount), s.integer(0));
}

Value negate(const Scalars &s, ValueRange v) {
  if (s.isFloat())
    return s.create<arith::NegFOp>(v[0]);
  return s.create<arith::SubIOp>(s.integer(0), v[0]);
}

Value logicalNot(const Scalars &s, ValueRange v) {
  return s.create<arith::XOrIOp>(v[0],
                                 s.isBool() ? s.pred(true) : s.integer(-1));
}

Value absolute(const Scalars &s, ValueRange v) {
  if (s.isFloat())
    return s.create<math::AbsFOp>(v[0]);
  return s.isUnsigned() ? v[0] : s.create<math::AbsIOp>(v[0]);
}

/// NaN and zeros (with their sign) stay; the rest becomes -1 or 1.
Value sign(const Scalars &s, ValueRange v) {
  if (s.isFloat()) {
    Value nonzero =
        s.create<arith::CmpFOp>(arith::CmpFPredicate::ONE, v[0], s.constant(0));
    Value one = s.create<math::CopySignOp>(s.constant(1), v[0]);
    return select(s, nonzero, one, v[0]);
  }
  Value zero = s.integer(0);
  Value isZero = compareInt(s, arith::CmpIPredicate::eq, v[0], zero);
  Value result = s.integer(1);
  if (!s.isUnsigned())
    result = select(s, compareInt(s, arith::CmpIPredicate::slt, v[0], zero),
                    s.integer(-1), result);
  return select(s, isZero, zero, result);
}

Value clamp(const Scalars &s, ValueRange v) {
  Value raised = maximum(s, {v[1], v[0]});
  return minimum(s, {raised, v[2]});
}

Value selectElement(const Scalars &s, ValueRange v) {
  return select(s, v[0], v[1], v[2]);
}

/// Bits of a float as an integer whose signed order is the total order.
Value totalOrderKey(const Scalars &s, Value value) {
  unsigned width = s.type().getIntOrFloatBitWidth();
  Type type = s.b.getIntegerType(width);
  auto constant = [&](APInt c) -> Value {
    return s.create<arith::ConstantOp>(IntegerAttr::get(type, c));
  };
  Value bits = s.create<arith::BitcastOp>(type, value);
  Value signs =
      s.create<arith::ShRSIOp>(bits, constant(APInt(width, width - 1)));
  Value flips =
      s.create<arith::AndIOp>(signs, constant(APInt::getSignedMaxValue(width)));
  return s.create<arith::XOrIOp>(bits, flips);
}

Value compare(const Scalars &s, ValueRange v) {
  using D = stablehlo::ComparisonDirection;
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  auto op = cast<stablehlo::CompareOp>(s.op);
  struct Entry {
    D direction;
    F f;
    I i, u;
  };
  static constexpr Entry entries[] = {
      {D::EQ, F::OEQ, I::eq, I::eq},   {D::NE, F::UNE, I::ne, I::ne},
      {D::GE, F::OGE, I::sge, I::uge}, {D::GT, F::OGT, I::sgt, I::ugt},
      {D::LE, F::OLE, I::sle, I::ule}, {D::LT, F::OLT, I::slt, I::ult}};
  const Entry *entry = llvm::find_if(entries, [&](const Entry &e) {
    return e.direction == op.getComparisonDirection();
  });
  if (!s.isFloat())
    return compareInt(s, s.isUnsigned() ? entry->u : entry->i, v[0], v[1]);
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
    return compareInt(s, entry->i, totalOrderKey(s, v[0]),
                      totalOrderKey(s, v[1]));
  return s.create<arith::CmpFOp>(entry->f, v[0], v[1]);
}

Value square(const Scalars &s, ValueRange v) {
  return multiply(s, {v[0], v[0]});
}

Value populationCount(const Scalars &s, ValueRange v) {
  return s.create<math::CtPopOp>(v[0]);
}

Value leadingZeros(const Scalars &s, ValueRange v) {
  return s.create<math::CountLeadingZerosOp>(v[0]);
}

} // namespace

void addArithmeticRules(RuleTable &t) {
  using namespace stablehlo;
  t.add<AddOp>(elementwiseRule<add>());
  t.add<SubtractOp>(elementwiseRule<subtract>());
  t.add<MulOp>(elementwiseRule<multiply>());
  t.add<DivOp>(elementwiseRule<divide>(4));
  t.add<RemOp>(elementwiseRule<remainder>(16));
  t.add<MaxOp>(elementwiseRule<maximum>());
  t.add<MinOp>(elementwiseRule<minimum>());
  t.add<AndOp>(elementwiseRule<logicalAnd>());
  t.add<OrOp>(elementwiseRule<logicalOr>());
  t.add<XorOp>(elementwiseRule<logicalXor>());
  t.add<NotOp>(elementwiseRule<logicalNot>());
  t.add<NegOp>(elementwiseRule<negate>());
  t.add<AbsOp>(elementwiseRule<absolute>());
  t.add<SignOp>(elementwiseRule<sign>(2));
  t.add<ClampOp>(elementwiseRule<clamp>(2));
  t.add<SelectOp>(elementwiseRule<selectElement>());
  t.add<CompareOp>(elementwiseRule<compare>());
  t.add<ShiftLeftOp>(elementwiseRule<shift<arith::ShLIOp, false>>(2));
  t.add<ShiftRightLogicalOp>(elementwiseRule<shift<arith::ShRUIOp, false>>(2));
  t.add<ShiftRightArithmeticOp>(
      elementwiseRule<shift<arith::ShRSIOp, true>>(2));
  t.add<PopulationCountOp>(elementwiseRule<populationCount>(4));
  t.add<ClzOp>(elementwiseRule<leadingZeros>(2));
  t.add<chlo::SquareOp>(elementwiseRule<square>());
}

} // namespace partopt::codegen
