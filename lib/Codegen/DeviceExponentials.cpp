// Exponentials, logarithms, powers and what follows from them, in f64.
#include "DeviceFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen::device {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLn2 = 0.69314718055994530942;
/// ln 2 in two parts; the first has 21 trailing zeros.
static constexpr double kLn2High = 6.93147180369123816490e-01;
static constexpr double kLn2Low = 1.90821492927058770002e-10;

Value toBits(Number x) {
  return x.b->create<arith::BitcastOp>(x.loc, x.b->getI64Type(), x.value);
}
Number fromBits(Number like, Value bits) {
  return like.of(
      like.b->create<arith::BitcastOp>(like.loc, like.b->getF64Type(), bits));
}
Value integer(Number like, int64_t value) {
  return like.b->create<arith::ConstantOp>(like.loc,
                                           like.b->getI64IntegerAttr(value));
}
template <typename Op> static Value make(Number like, Value x, Value y) {
  return like.b->create<Op>(like.loc, x, y);
}

/// 2^n for n in [-1022, 1023].
static Number powerOfTwo(Number like, Value n) {
  Value biased = make<arith::AddIOp>(like, n, integer(like, 1023));
  return fromBits(like, make<arith::ShLIOp>(like, biased, integer(like, 52)));
}

Number scale(Number x, Value n) {
  Value third = make<arith::DivSIOp>(x, n, integer(x, 3));
  Value twice = make<arith::AddIOp>(x, third, third);
  Value rest = make<arith::SubIOp>(x, n, twice);
  Number power = powerOfTwo(x, third);
  return x * power * power * powerOfTwo(x, rest);
}

/// x = n ln2 + r with |r| <= ln2/2; n also as an integer. NaN in r.
namespace {
struct Reduced {
  Value n;
  Number r;
};
} // namespace

static Reduced reduceByLn2(Number x) {
  // Adding 1.5 * 2^52 rounds to a whole number, which its low bits are.
  Number magic = x.constant(6755399441055744.0);
  Number shifted = fma(x, x.constant(1.44269504088896340736), magic);
  Number n = shifted - magic;
  Value whole = make<arith::SubIOp>(x, toBits(shifted), toBits(magic));
  Number r = fma(-n, x.constant(kLn2High), x);
  return {whole, fma(-n, x.constant(kLn2Low), r)};
}

/// (e^r - 1 - r) / r^2 for |r| <= 0.35.
static Number expTail(Number r) {
  return polynomial(r, {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
                        1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                        1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5});
}

static Number bounded(Number x, double low, double high) {
  return select(x < low, low, select(x > high, high, x));
}

Number exp(Number x) {
  Reduced parts = reduceByLn2(bounded(x, -750, 712));
  Number r = parts.r;
  return scale(fma(r * r, expTail(r), r) + 1, parts.n);
}

Number expm1(Number x) {
  Reduced parts = reduceByLn2(bounded(x, -50, 500));
  Number r = parts.r, power = powerOfTwo(x, parts.n);
  Number tail = fma(r * r, expTail(r), r);
  Number result = fma(tail, power, power - 1);
  return select(x == 0, x, select(x > 400, codegen::exp(x), result));
}

/// x > 0 as m 2^e with m in [sqrt(1/2), sqrt(2)).
namespace {
struct Split {
  Number m, e;
};
} // namespace

static Split splitExponent(Number x) {
  Truth isTiny = x < std::numeric_limits<double>::min();
  Number scaled = select(isTiny, x * 0x1p54, x);
  Value bits = toBits(scaled);
  Value offset = make<arith::SubIOp>(x, bits, integer(x, 0x3fe6a09e667f3bcd));
  Value exponent = make<arith::ShRSIOp>(x, offset, integer(x, 52));
  Value shifted = make<arith::ShLIOp>(x, exponent, integer(x, 52));
  Number m = fromBits(x, make<arith::SubIOp>(x, bits, shifted));
  Number e =
      x.of(x.b->create<arith::SIToFPOp>(x.loc, x.b->getF64Type(), exponent));
  return {m, e - select(isTiny, 54, x.constant(0))};
}

static Number withLogLimits(Number x, Number inner) {
  Number result = select(x == kInf, x, inner);
  result = select(x == 0, -kInf, result);
  return select(x < 0, kNaN, select(isNaN(x), x, result));
}

/// With s = f / (2 + f), log(1 + f) = 2 s + s R(s^2); after fdlibm's e_log.c.
static Number logOf(Number x) {
  Split parts = splitExponent(x);
  Number f = parts.m - 1, s = f / (f + 2), z = s * s;
  Number r =
      z * polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                         1.818357216161805012e-01, 2.222219843214978396e-01,
                         2.857142874366239149e-01, 3.999999999940941908e-01,
                         6.666666666666735130e-01});
  Number half = 0.5 * f * f;
  Number low = fma(parts.e, x.constant(kLn2Low), s * (half + r));
  return fma(parts.e, x.constant(kLn2High), f - (half - low));
}

Number log(Number x) { return withLogLimits(x, logOf(x)); }

/// log(u) + (x - (u - 1)) / u with u = 1 + x, rounded.
Number log1p(Number x) {
  Number u = x + 1, lost = (x - (u - 1)) / u;
  Number corrected = logOf(u) + select(x > 0x1p53, 0, lost);
  Number result = withLogLimits(u, corrected);
  return select(abs(x) < 0x1p-54, x, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// A sum of two numbers that is not rounded, the second the smaller one.
namespace {
struct Pair {
  Number high, low;
};
} // namespace

static Pair exactSum(Number x, Number y) {
  Number sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// log(x) of x > 0 with twice the digits: 2 atanh(s), s = (m - 1) / (m + 1).
static Pair preciseLog(Number x) {
  Split parts = splitExponent(x);
  Number f = parts.m - 1;
  Pair divisor = exactSum(parts.m, x.constant(1));
  Number s = f / divisor.high;
  Number rest = fma(-s, divisor.high, f);
  Number low = fma(-s, divisor.low, rest) / divisor.high;
  Number z = s * s;
  Number series =
      polynomial(z, {1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                     1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3});
  Number tail = 2 * fma(s * z, series, low);
  Pair sum = exactSum(parts.e * kLn2High, 2 * s);
  Pair whole = exactSum(sum.high, parts.e * kLn2Low);
  return exactSum(whole.high, whole.low + (sum.low + tail));
}

static Number positivePower(Number x, Number y) {
  Pair logarithm = preciseLog(x);
  Number product = y * logarithm.high;
  Number rest = fma(y, logarithm.high, -product) + y * logarithm.low;
  Number power = codegen::exp(product);
  Truth isPlain = !isInfinite(power) & (abs(product) < 750);
  return select(isPlain,
                fma(power, select(isPlain, rest, x.constant(0)), power), power);
}

Number pow(Number x, Number y) {
  Number a = abs(x);
  Number result = positivePower(a, y);
  // Bases and exponents at the ends.
  Truth isDown = y < 0;
  result = select(a == 0, select(isDown, x.constant(kInf), 0), result);
  result = select(a == kInf, select(isDown, x.constant(0), kInf), result);
  Truth grows = (a > 1) & (y > 0), falls = (a < 1) & (y < 0);
  Number limit = select(grows | falls, x.constant(kInf), 0);
  limit = select(a == 1, 1, limit);
  result = select(isInfinite(y), limit, result);
  // Negative bases.
  Number sign = copySign(x.constant(1), x), half = y * 0.5;
  Truth isOdd = isWhole(y) & !isWhole(half);
  result = select(isOdd, result * sign, result);
  Truth isUndefined = (x < 0) & !isWhole(y) & !isInfinite(x);
  result = select(isUndefined, kNaN, result);
  result = select(isNaN(x) | isNaN(y), x + y, result);
  return select((x == 1) | (y == 0), 1, result);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// e^x / 2 for large x, without overflow before the result's.
static Number halfExp(Number x) {
  Number root = codegen::exp(0.5 * x);
  return 0.5 * root * root;
}

Number sinh(Number x) {
  Number a = abs(x), e = codegen::expm1(a);
  Number value = select(a > 700, halfExp(a), 0.5 * (e + e / (e + 1)));
  return copySign(value, x);
}

Number cosh(Number x) {
  Number a = abs(x), e = codegen::exp(a);
  return select(a > 700, halfExp(a), 0.5 * e + 0.5 / e);
}

Number tanh(Number x) {
  Number a = abs(x), e = codegen::expm1(2 * select(a > 40, 40, a));
  Number value = select(a < 1, e / (e + 2), 1 - 2 / (e + 2));
  return copySign(value, x);
}

Number asinh(Number x) {
  Number a = abs(x), square = a * a;
  Number near = codegen::log1p(a + square / (1 + sqrt(1 + square)));
  return copySign(select(a > 1e8, codegen::log(a) + kLn2, near), x);
}

Number acosh(Number x) {
  Number t = x - 1;
  Number near = codegen::log1p(t + sqrt(2 * t + t * t));
  return select(x < 1, kNaN, select(x > 1e8, codegen::log(x) + kLn2, near));
}

Number atanh(Number x) {
  Number a = abs(x);
  return copySign(0.5 * codegen::log1p(2 * a / (1 - a)), x);
}

//===----------------------------------------------------------------------===//
// Roots and remainders
//===----------------------------------------------------------------------===//

/// Halley's iteration from a guess by the exponent.
Number cbrt(Number x) {
  Number a = abs(x);
  Truth isTiny = a < 0x1p-900, isHuge = a > 0x1p900;
  Number one = x.constant(1);
  a = a * select(isTiny, 0x1p300, select(isHuge, 0x1p-300, one));
  Value third = make<arith::DivUIOp>(x, toBits(a), integer(x, 3));
  Number t = fromBits(
      x, make<arith::AddIOp>(x, third, integer(x, 0x2a9f789300000000)));
  for (int i = 0; i < 4; ++i) {
    Number cube = t * t * t;
    t = t - t * ((cube - a) / (2 * cube + a));
  }
  t = t * select(isTiny, 0x1p-100, select(isHuge, 0x1p100, one));
  return select((x == 0) | isInfinite(x) | isNaN(x), x, copySign(t, x));
}

Number hypot(Number x, Number y) {
  Number a = abs(x), b = abs(y);
  Number high = select(a < b, b, a), low = select(a < b, a, b);
  Number factor = select(high > 0x1p500, 0x1p-600,
                         select(high < 0x1p-400, 0x1p600, x.constant(1)));
  high = high * factor;
  low = low * factor;
  Number value = sqrt(fma(high, high, low * low)) / factor;
  value = select(isNaN(x) | isNaN(y), x + y, value);
  return select(isInfinite(x) | isInfinite(y), kInf, value);
}

/// The exponent of a positive number, as an integer of 64 bits.
static Value exponentOf(Number x) {
  Truth isTiny = x < std::numeric_limits<double>::min();
  Number normal = select(isTiny, x * 0x1p54, x);
  Value field = make<arith::ShRUIOp>(x, toBits(normal), integer(x, 52));
  Value offset = x.b->create<arith::SelectOp>(x.loc, isTiny.value,
                                              integer(x, 54), integer(x, 0));
  return make<arith::SubIOp>(x, field, offset);
}

/// Takes away y 2^k as long as something is left; exact in every step.
Number fmod(Number x, Number y) {
  Number b = abs(y);
  Truth isPlain = !(isInfinite(x) | isNaN(x) | isNaN(y)) & (b > 0);
  // Less than any divisor: nothing to take away.
  Number start = select(isPlain & !isInfinite(y), abs(x), x.constant(-1));
  Number left = repeatWhile(
      {start}, [&](const Numbers &state) { return state[0] >= b; },
      [&](const Numbers &state) -> Numbers {
        Value distance =
            make<arith::SubIOp>(x, exponentOf(state[0]), exponentOf(b));
        Number step = scale(b, distance);
        step = select(step > state[0], step * 0.5, step);
        return {state[0] - step};
      })[0];
  Number result = select(isInfinite(y), abs(x), left);
  return select(isPlain, copySign(result, x), kNaN);
}

} // namespace partopt::codegen::device
