// Special functions of chlo. erf, erfc and erf_inv of f32 are straight-line
// code that loops can widen. The others are computed in f64, whatever the
// element type, and rounded once; each is a function of its own next to the
// kernels, since a call costs nothing against its body.
#include "ElementwiseRules.h"
#include "Numbers.h"
#include "SpecialFunctionTables.h"

#include "dialects/StableHLO/Chlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// erf, erfc
//===----------------------------------------------------------------------===//

/// erfc(|x|) in f32 for |x| >= 1/2 as e^(-x^2) times a rational function; the
/// exponent's rounding error is made good.
Number erfcTailSingle(Number x) {
  Number a = abs(x);
  a = select(a > 11, 11, a); // 0, and no quotient of infinities
  Number scaled = polynomial((a - 2) / (a + 2), kErfcTailSingle);
  Number square = a * a, error = fma(a, a, -square);
  Number tail = exp(-square) * (scaled / fma(a, a.constant(2), a.constant(1)));
  return fma(-tail, error, tail);
}

Number erfSingle(Number x) {
  Number central = fma(x, polynomial(x * x, kErfCentralSingle), x);
  Number outer = copySign(1 - erfcTailSingle(x), x);
  return select(abs(x) < 1, central, outer);
}

Number erfcSingle(Number x) {
  Number central = fma(-x, polynomial(x * x, kErfCentralSingle), 1 - x);
  Number tail = erfcTailSingle(x);
  Number outer = select(x < 0, 2 - tail, tail);
  return select(abs(x) < 0.5, central, outer);
}

Value erf(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  if (s.type().isF32())
    return erfSingle({&s.b, s.loc, v[0]}).value;
  return s.create<math::ErfOp>(v[0]);
}

Value erfc(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  Number x{&s.b, s.loc, v[0]};
  return s.type().isF32() ? erfcSingle(x).value : callLibm("erfc", {x}).value;
}

//===----------------------------------------------------------------------===//
// lgamma, digamma
//===----------------------------------------------------------------------===//

/// lgamma itself writes a global variable, so it is lgamma_r, which writes the
/// sign of gamma through a pointer.
Number logGamma(Number x) {
  return callHelper("partopt_lgamma", {x}, [](ArrayRef<Number> v) {
    auto type = MemRefType::get({1}, v[0].b->getI32Type());
    Value sign = v[0].b->create<memref::AllocaOp>(v[0].loc, type);
    return callLibm("lgamma_r", {v[0]}, sign);
  });
}

/// digamma(x) for x in [0, 10): by its recurrence in [1, 2], where a polynomial
/// times the distance from the root keeps all digits near the root.
Number digammaBelow10(Number x) {
  Truth isBelow1 = x < 1;
  Number sum = select(isBelow1, -1 / x, 0);
  Number start = select(isBelow1, x + 1, x);
  Numbers reduced = repeatWhile(
      {start, sum}, [](const Numbers &v) { return v[0] > 2; },
      [](const Numbers &v) -> Numbers {
        Number below = v[0] - 1;
        return {below, v[1] + 1 / below};
      });
  Number y = reduced[0];
  Number fromRoot = y - kDigammaRoot - kDigammaRootRest;
  return fma(fromRoot, chebyshev(2 * y - 3, kDigammaCentral), reduced[1]);
}

/// log x - 1/2x - sum of B_2k / (2k x^2k) for x >= 10.
Number digammaFrom10(Number x) {
  Number inverse = 1 / x, square = inverse * inverse;
  return log(x) -
         fma(square, polynomial(square, kDigammaAsymptotic), 0.5 * inverse);
}

Number digammaOfPositive(Number x) {
  return choose(
      x < 10, [&] { return digammaBelow10(x); },
      [&] { return digammaFrom10(x); });
}

/// For negative x, digamma(1 - x) - pi / tan(pi x), which has the period 1.
/// NaN at the poles 0, -1, ...
Number digamma(Number x) {
  return callHelper("partopt_digamma", {x}, [](ArrayRef<Number> v) {
    Number x = v[0];
    Truth isNegative = x < 0;
    Number value = digammaOfPositive(select(isNegative, 1 - x, x));
    Number reflected = choose(
        isNegative, [&] { return value - kPi / tan(kPi * (x - roundEven(x))); },
        [&] { return value; });
    return select((x <= 0) & isWhole(x), kNaN, reflected);
  });
}

//===----------------------------------------------------------------------===//
// zeta, polygamma
//===----------------------------------------------------------------------===//

/// The sum of (q + k)^-s over k >= 0 for s > 1, q > 0, times q^s where `scale`
/// is set: ten terms, then the formula of Euler and Maclaurin.
Number hurwitz(Number s, Number q, bool isScaled) {
  auto term = [&](Number base) {
    return isScaled ? pow(q / base, s) : pow(base, -s);
  };
  Numbers sums = repeatWhile(
      {q.constant(0), q.constant(0)},
      [](const Numbers &v) { return v[0] < 10; },
      [&](const Numbers &v) -> Numbers {
        return {v[0] + 1, v[1] + term(q + v[0])};
      });
  Number a = q + 10, last = term(a), sum = sums[1];
  // The rest is at most a few times as large as its first term.
  Truth isNegligible = (last == 0) | (last < sum * 0x1p-80);
  return choose(
      isNegligible, [&] { return sum; },
      [&] {
        Number rest = a / (s - 1) + 0.5, factor = s / a;
        for (auto [i, coefficient] : llvm::enumerate(kEulerMaclaurin)) {
          rest = fma(factor, s.constant(coefficient), rest);
          double n = 2.0 * double(i) + 1;
          factor = factor * ((s + n) / a) * ((s + (n + 1)) / a);
        }
        return fma(last, rest, sum);
      });
}

Number zetaOfPositive(Number s, Number q) {
  return callHelper("partopt_hurwitz", {s, q}, [](ArrayRef<Number> v) {
    return hurwitz(v[0], v[1], /*isScaled=*/false);
  });
}

Truth isEven(Number whole) { return isWhole(whole * 0.5); }

/// A sum over (q + k)^-s for negative q that is not whole, and whole s, from
/// sums `f` for positive q: the terms below zero are those of two such sums.
Number reflectZeta(Number s, Number q,
                   llvm::function_ref<Number(Number)> positive) {
  Number above = q - floor(q), below = ceil(q) - q;
  Number left = positive(below), rest = positive(1 - q);
  Number sign = select(isEven(s), s.constant(1), s.constant(-1));
  return (positive(above) + sign * left) - sign * rest;
}

/// Values at poles and at infinities are XLA's: infinity at poles for even s.
Number zeta(Number s, Number q) {
  return callHelper("partopt_zeta", {s, q}, [](ArrayRef<Number> v) {
    Number s = v[0], q = v[1];
    Number value = choose(
        q > 0, [&] { return zetaOfPositive(s, q); },
        [&] {
          return reflectZeta(
              s, q, [&](Number other) { return zetaOfPositive(s, other); });
        });
    Truth isPole = (q <= 0) & isWhole(q);
    value = select((s < 1) | ((q < 0) & !isWhole(s)), kNaN, value);
    value = select(isPole, select(isEven(s), kInf, s.constant(kNaN)), value);
    value = select(isInfinite(s) | (q == kInf), kNaN, value);
    return select(s == 1, kInf, value);
  });
}

/// n! zeta(n + 1, y) for y > 0; through logarithms where a factor is out of
/// range.
Number scaledZeta(Number n, Number y) {
  return callHelper("partopt_scaled_zeta", {n, y}, [](ArrayRef<Number> v) {
    Number n = v[0], y = v[1], s = n + 1;
    Number factorial = callLibm("tgamma", {s});
    Number sum = zetaOfPositive(s, y);
    Truth isOutOfRange =
        ((factorial == kInf) | (sum < std::numeric_limits<double>::min()) |
         (sum == kInf)) &
        (y < kInf);
    return choose(
        isOutOfRange,
        [&] {
          Number scaled = hurwitz(s, y, /*isScaled=*/true);
          return exp(logGamma(s) - s * log(y) + log(scaled));
        },
        [&] { return factorial * sum; });
  });
}

/// (-1)^(n+1) n! zeta(n + 1, x); digamma for n = 0. Values at poles and at
/// infinities are XLA's.
Number polygamma(Number n, Number x) {
  return callHelper("partopt_polygamma", {n, x}, [](ArrayRef<Number> v) {
    Number n = v[0], x = v[1];
    auto derivative = [&] {
      Number value = choose(
          x > 0, [&] { return scaledZeta(n, x); },
          [&] {
            return reflectZeta(
                n + 1, x, [&](Number other) { return scaledZeta(n, other); });
          });
      Truth isPole = (x <= 0) & isWhole(x);
      value = select(isPole, select(isEven(n), kNaN, n.constant(kInf)), value);
      return select(isEven(n), -value, value);
    };
    Number value = choose(n == 0, [&] { return digamma(x); }, derivative);
    Truth isUndefined = (n < 0) | !isWhole(n) | (n == kInf);
    return select(isUndefined | ((n > 0) & (x == kInf)), kNaN, value);
  });
}

//===----------------------------------------------------------------------===//
// bessel_i1e, erf_inv, next_after
//===----------------------------------------------------------------------===//

/// e^-|x| I_1(x), which is odd: x times a series in |x| up to 8, then a series
/// in 8/|x| over the root of |x|.
Number besselI1e(Number x) {
  return callHelper("partopt_bessel_i1e", {x}, [](ArrayRef<Number> v) {
    Number y = abs(v[0]);
    Number value = choose(
        y <= 8, [&] { return y * chebyshev(y * 0.25 - 1, kBesselBelow8); },
        [&] { return chebyshev(16 / y - 1, kBesselAbove8) / sqrt(y); });
    return copySign(value, v[0]);
  });
}

/// The inverse of erf, after M. Giles, "Approximating the erfinv function"
/// (2010): polynomials in w = -log(1 - x^2), in three parts for f64. The
/// product (1 - x) (1 + x) keeps the digits of 1 - x^2 near 1.
Number inverseErfDouble(Number x) {
  Number w = -log((1 - x) * (1 + x));
  Number factor = choose(
      w < 6.25, [&] { return polynomial(w - 3.125, kInverseErfCentral); },
      [&] {
        Number root = sqrt(w);
        return choose(
            w < 16, [&] { return polynomial(root - 3.25, kInverseErfTail); },
            [&] { return polynomial(root - 5, kInverseErfFarTail); });
      });
  return x * select(abs(x) == 1, kInf, factor);
}

/// The same in f32, without branches.
Number inverseErfSingle(Number x) {
  Number w = -log1p(-(x * x));
  auto horner = [](Number w, ArrayRef<double> coefficients) {
    Number sum = w.constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = sum * w + coefficient;
    return sum;
  };
  Number central = horner(w - 2.5, kInverseErfCentralSingle);
  Number tail = horner(sqrt(w) - 3, kInverseErfTailSingle);
  return select(abs(x) == 1, kInf, select(w < 5, central, tail)) * x;
}

Value inverseErf(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  Number x{&s.b, s.loc, v[0]};
  if (s.type().isF32())
    return inverseErfSingle(x).value;
  return callHelper("partopt_erf_inv", {x},
                    [](ArrayRef<Number> v) { return inverseErfDouble(v[0]); })
      .value;
}

/// On the bits: one step up or down from x, away from zero or towards it.
Value nextAfter(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  unsigned width = 8 * storageBytes(s.operandType);
  Type type = s.b.getIntegerType(width);
  auto bits = [&](Value value) -> Value {
    Value stored = toStorage(s.b, s.loc, s.operandType, value);
    return stored.getType() == type ? stored
                                    : s.create<arith::BitcastOp>(type, stored);
  };
  auto constant = [&](const APInt &value) -> Value {
    return s.create<arith::ConstantOp>(IntegerAttr::get(type, value));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x,
                     Value y) -> Value {
    return s.create<arith::CmpFOp>(predicate, x, y);
  };
  auto choice = [&](Value condition, Value x, Value y) -> Value {
    return s.create<arith::SelectOp>(condition, x, y);
  };
  using F = arith::CmpFPredicate;
  Value zero = s.constant(0), one = constant(APInt(width, 1));
  Value isNegative = compare(F::OLT, v[0], zero);
  Value isUp = compare(F::OLT, v[0], v[1]);
  Value isAway = s.create<arith::XOrIOp>(isNegative, isUp);
  Value from = bits(v[0]);
  Value step = choice(isAway, one, constant(APInt::getAllOnes(width)));
  Value next = s.create<arith::AddIOp>(from, step);
  // From a zero: the smallest number with the sign of y.
  Value sign =
      s.create<arith::AndIOp>(bits(v[1]), constant(APInt::getSignMask(width)));
  Value smallest = s.create<arith::OrIOp>(sign, one);
  next = choice(compare(F::OEQ, v[0], zero), smallest, next);
  next = choice(compare(F::OEQ, v[0], v[1]), bits(v[1]), next);
  Type storage = storageType(s.operandType);
  if (storage != type)
    next = s.create<arith::BitcastOp>(storage, next);
  Value result = toCompute(s.b, s.loc, s.operandType, next);
  Value isNaN = compare(F::UNO, v[0], v[1]);
  return choice(isNaN, s.create<arith::AddFOp>(v[0], v[1]), result);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A function of floats that is computed in f64 whatever their type.
template <auto fn> Value inDouble(const Scalars &s, ValueRange v) {
  if (!s.isFloat())
    return {};
  SmallVector<Number, 2> x;
  for (Value value : v)
    x.push_back({&s.b, s.loc,
                 s.type().isF64()
                     ? value
                     : s.create<arith::ExtFOp>(s.b.getF64Type(), value)});
  Value result;
  if constexpr (std::is_invocable_v<decltype(fn), Number>)
    result = fn(x[0]).value;
  else
    result = fn(x[0], x[1]).value;
  return s.type().isF64() ? result
                          : s.create<arith::TruncFOp>(s.type(), result);
}

} // namespace

void addSpecialFunctionRules(RuleTable &t) {
  t.add<chlo::ErfOp>(elementwiseRule<erf>(40));
  t.add<chlo::ErfcOp>(elementwiseRule<erfc>(40));
  t.add<chlo::ErfInvOp>(elementwiseRule<inverseErf>(50));
  t.add<chlo::LgammaOp>(elementwiseRule<inDouble<logGamma>>(100));
  t.add<chlo::DigammaOp>(elementwiseRule<inDouble<digamma>>(100));
  t.add<chlo::ZetaOp>(elementwiseRule<inDouble<zeta>>(600));
  t.add<chlo::PolygammaOp>(elementwiseRule<inDouble<polygamma>>(800));
  t.add<chlo::BesselI1eOp>(elementwiseRule<inDouble<besselI1e>>(60));
  t.add<chlo::NextAfterOp>(elementwiseRule<nextAfter>(6));
}

} // namespace partopt::codegen
