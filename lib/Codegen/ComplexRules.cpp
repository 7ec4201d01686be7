// Elementwise ops on complex numbers. A form of an op with a complex operand or
// result has its rule here, or is refused; no rule for real numbers sees it.
// Functions compute in f64, whatever the parts' type.
#include "ComplexNumbers.h"
#include "ElementwiseRules.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

bool isComplex(Type type) { return isa<ComplexType>(type); }

Complex partsOf(const Scalars &s, Value value) {
  return {{&s.b, s.loc, s.b.createOrFold<complex::ReOp>(s.loc, value)},
          {&s.b, s.loc, s.b.createOrFold<complex::ImOp>(s.loc, value)}};
}

Value join(const Scalars &s, Complex z) {
  auto type = ComplexType::get(z.re.value.getType());
  return s.create<complex::CreateOp>(type, z.re.value, z.im.value);
}

Type partType(Type type) { return cast<ComplexType>(type).getElementType(); }

/// A function of complex numbers with a complex result, in the parts' type.
template <auto fn> Value inParts(const Scalars &s, ValueRange v) {
  if constexpr (std::is_invocable_v<decltype(fn), Complex>)
    return join(s, fn(partsOf(s, v[0])));
  else
    return join(s, fn(partsOf(s, v[0]), partsOf(s, v[1])));
}

/// The same, computed in f64.
template <auto fn> Value inDouble(const Scalars &s, ValueRange v) {
  Complex z = wide(partsOf(s, v[0])), result = z;
  if constexpr (std::is_invocable_v<decltype(fn), Complex>)
    result = fn(z);
  else
    result = fn(z, wide(partsOf(s, v[1])));
  return join(s, narrow(result, partType(s.resultType)));
}

Complex negated(Complex z) { return -z; }
Complex sum(Complex z, Complex w) { return z + w; }
Complex difference(Complex z, Complex w) { return z - w; }
Complex product(Complex z, Complex w) { return z * w; }
Complex square(Complex z) { return z * z; }
Complex conjugate(Complex z) { return {z.re, -z.im}; }

using Unary = Complex (*)(Complex);
using Binary = Complex (*)(Complex, Complex);
template <Unary fn> constexpr ScalarFn function = inDouble<fn>;

Value absoluteValue(const Scalars &s, ValueRange v) {
  Complex z = wide(partsOf(s, v[0]));
  Number size = s.resultType.isF32() ? absoluteNarrow(z) : absolute(z);
  return narrow(size, s.resultType).value;
}

Value realPart(const Scalars &s, ValueRange v) {
  return isComplex(s.operandType) ? partsOf(s, v[0]).re.value : v[0];
}

Value imaginaryPart(const Scalars &s, ValueRange v) {
  return isComplex(s.operandType) ? partsOf(s, v[0]).im.value : s.constant(0);
}

Value fromParts(const Scalars &s, ValueRange v) {
  return join(s, {{&s.b, s.loc, v[0]}, {&s.b, s.loc, v[1]}});
}

Value conjugateOfReal(const Scalars &, ValueRange v) { return v[0]; }

Value compare(const Scalars &s, ValueRange v) {
  Complex z = partsOf(s, v[0]), w = partsOf(s, v[1]);
  auto direction = cast<stablehlo::CompareOp>(s.op).getComparisonDirection();
  if (direction == stablehlo::ComparisonDirection::EQ)
    return ((z.re == w.re) & (z.im == w.im)).value;
  return ((z.re != w.re) | (z.im != w.im)).value;
}

Value selectElement(const Scalars &s, ValueRange v) {
  Truth condition{&s.b, s.loc, v[0]};
  return join(s, select(condition, partsOf(s, v[1]), partsOf(s, v[2])));
}

/// Between complex types, part by part; from real ones with a zero imaginary
/// part; to real ones the real part, to booleans whether it is no zero.
Value convert(const Scalars &s, ValueRange v) {
  auto convertPart = [&](Type from, Type to, Value value) {
    Scalars part{s.b, s.loc, s.op, from, to};
    Value result = convertScalar(part, {value});
    return roundToElement(s.b, s.loc, to, result);
  };
  if (!isComplex(s.operandType)) {
    Type to = partType(s.resultType);
    Number re{&s.b, s.loc, convertPart(s.operandType, to, v[0])};
    return join(s, {re, re.constant(0)});
  }
  Complex z = partsOf(s, v[0]);
  Type from = partType(s.operandType);
  if (!isComplex(s.resultType)) {
    if (s.resultType.isInteger(1))
      return ((z.re != 0) | (z.im != 0)).value;
    return convertPart(from, s.resultType, z.re.value);
  }
  Type to = partType(s.resultType);
  return join(s, {z.re.of(convertPart(from, to, z.re.value)),
                  z.im.of(convertPart(from, to, z.im.value))});
}

Value sameBits(const Scalars &s, ValueRange v) {
  return s.operandType == s.resultType ? v[0] : Value();
}

void addRules(RuleTable &t) {
  using namespace stablehlo;
  t.add<AddOp>(elementwiseRule<inParts<sum>>(2));
  t.add<SubtractOp>(elementwiseRule<inParts<difference>>(2));
  t.add<MulOp>(elementwiseRule<inParts<product>>(6));
  t.add<DivOp>(elementwiseRule<inParts<quotient>>(20));
  t.add<NegOp>(elementwiseRule<inParts<negated>>(2));
  t.add<AbsOp>(elementwiseRule<absoluteValue>(20));
  t.add<SignOp>(elementwiseRule<function<sign>>(30));
  t.add<ExpOp>(elementwiseRule<function<exp>>(100));
  t.add<Expm1Op>(elementwiseRule<function<expm1>>(120));
  t.add<LogOp>(elementwiseRule<function<log>>(100));
  t.add<Log1pOp>(elementwiseRule<function<log1p>>(100));
  t.add<SqrtOp>(elementwiseRule<function<sqrt>>(40));
  t.add<RsqrtOp>(elementwiseRule<function<rsqrt>>(60));
  t.add<CbrtOp>(elementwiseRule<function<cbrt>>(140));
  t.add<SineOp>(elementwiseRule<function<sin>>(140));
  t.add<CosineOp>(elementwiseRule<function<cos>>(140));
  t.add<TanOp>(elementwiseRule<function<tan>>(140));
  t.add<chlo::TanOp>(elementwiseRule<function<tan>>(140));
  t.add<TanhOp>(elementwiseRule<function<tanh>>(140));
  t.add<chlo::SinhOp>(elementwiseRule<function<sinh>>(140));
  t.add<chlo::CoshOp>(elementwiseRule<function<cosh>>(140));
  t.add<chlo::AsinOp>(elementwiseRule<function<asin>>(200));
  t.add<chlo::AcosOp>(elementwiseRule<function<acos>>(200));
  t.add<chlo::AtanOp>(elementwiseRule<function<atan>>(120));
  t.add<chlo::AsinhOp>(elementwiseRule<function<asinh>>(200));
  t.add<chlo::AcoshOp>(elementwiseRule<function<acosh>>(200));
  t.add<chlo::AtanhOp>(elementwiseRule<function<atanh>>(120));
  t.add<LogisticOp>(elementwiseRule<function<logistic>>(120));
  t.add<PowOp>(elementwiseRule<inDouble<Binary(pow)>>(200));
  t.add<CompareOp>(elementwiseRule<compare>());
  t.add<SelectOp>(elementwiseRule<selectElement>());
  t.add<ConvertOp>(elementwiseRule<convert>());
  t.add<BitcastConvertOp>(elementwiseRule<sameBits>());
  t.add<RealOp>(elementwiseRule<realPart>());
  t.add<ImagOp>(elementwiseRule<imaginaryPart>());
  t.add<ComplexOp>(elementwiseRule<fromParts>());
  t.add<chlo::ConjOp>(elementwiseRule<inParts<conjugate>>());
  t.add<chlo::SquareOp>(elementwiseRule<inParts<square>>(6));
}

} // namespace

const OpRule *complexForm(Operation *op) {
  static const RuleTable table = [] {
    RuleTable built;
    addRules(built);
    return built;
  }();
  static const OpRule refused;
  auto involves = [](Value value) {
    return isComplex(tensorOf(value).getElementType());
  };
  if (llvm::none_of(op->getOperands(), involves) &&
      llvm::none_of(op->getResults(), involves))
    return nullptr;
  const OpRule *rule = table.lookup(op->getName().getStringRef());
  return rule ? rule : &refused;
}

void addComplexRules(RuleTable &t) {
  t.add<stablehlo::RealOp>(elementwiseRule<realPart>());
  t.add<stablehlo::ImagOp>(elementwiseRule<imaginaryPart>());
  t.add<stablehlo::ComplexOp>(elementwiseRule<fromParts>());
  t.add<chlo::ConjOp>(elementwiseRule<conjugateOfReal>());
}

} // namespace partopt::codegen
