// Where a formula would lose digits by cancellation, products are taken with
// their rounding errors (by fma) and sums with theirs.
#include "ComplexNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen {

Number largerPart(Complex z) { return larger(abs(z.re), abs(z.im)); }

Number productSum(Number x, Number y, Number z, Number w) {
  Number product = z * w;
  Number error = fma(z, w, -product);
  Number sum = fma(x, y, product) + error;
  return select(isNaN(sum), x * y + product, sum); // infinite products
}

Number expTimes(Number x, Number factor) {
  auto inHalves = [&] {
    Number half = exp(0.5 * x);
    return half * factor * half;
  };
  Number product = exp(x) * factor;
  return choose(x > 700, inHalves, [&] { return product; });
}

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Complex scaled(Complex z, Number factor) {
  return {z.re * factor, z.im * factor};
}

//===----------------------------------------------------------------------===//
// Powers of two
//===----------------------------------------------------------------------===//

Value integer(Number x, int64_t value) {
  return x.b->create<arith::ConstantOp>(x.loc, x.b->getI64IntegerAttr(value));
}

/// 2^n for an i64 n in [-1022, 1023].
Number powerOfTwo(Number like, Value n) {
  OpBuilder &b = *like.b;
  Value biased = b.create<arith::AddIOp>(like.loc, n, integer(like, 1023));
  Value bits = b.create<arith::ShLIOp>(like.loc, biased, integer(like, 52));
  return like.of(b.create<arith::BitcastOp>(like.loc, b.getF64Type(), bits));
}

/// The exponent of x (i64), kept in [-1021, 1021] so that its negative is one.
Value exponentOf(Number x) {
  OpBuilder &b = *x.b;
  Value bits = b.create<arith::BitcastOp>(x.loc, b.getI64Type(), x.value);
  Value biased = b.create<arith::AndIOp>(
      x.loc, b.create<arith::ShRUIOp>(x.loc, bits, integer(x, 52)),
      integer(x, 0x7ff));
  Value n = b.create<arith::SubIOp>(x.loc, biased, integer(x, 1023));
  n = b.create<arith::MaxSIOp>(x.loc, n, integer(x, -1021));
  return b.create<arith::MinSIOp>(x.loc, n, integer(x, 1021));
}

Value negative(Number like, Value n) {
  return like.b->create<arith::SubIOp>(like.loc, integer(like, 0), n);
}

/// z 2^n for an i64 n in [-2042, 2042].
Complex shifted(Complex z, Value n) {
  OpBuilder &b = *z.re.b;
  Location loc = z.re.loc;
  Value half = b.create<arith::ShRSIOp>(loc, n, integer(z.re, 1));
  Value rest = b.create<arith::SubIOp>(loc, n, half);
  return scaled(scaled(z, powerOfTwo(z.re, half)), powerOfTwo(z.re, rest));
}

//===----------------------------------------------------------------------===//
// Sums and products with their errors
//===----------------------------------------------------------------------===//

struct Pair {
  Number high, low;
};

Pair exactProduct(Number x, Number y) {
  Number product = x * y;
  return {product, fma(x, y, -product)};
}

Pair exactSum(Number x, Number y) {
  Number sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// log |x + iy|. Near the unit circle from |z|^2 - 1 with its rounding errors.
Number logAbsolute(Complex z) {
  Number a = largerPart(z), b = smaller(abs(z.re), abs(z.im));
  auto near = [&] {
    Pair aa = exactProduct(a, a), bb = exactProduct(b, b);
    Pair sum = exactSum(aa.high - 1, bb.high);
    return 0.5 * log1p(sum.high + (sum.low + aa.low + bb.low));
  };
  auto far = [&] {
    Number ratio = b / a;
    return select(a == 0, -kInf, log(a) + 0.5 * log1p(ratio * ratio));
  };
  Number result = choose((a > 0.5) & (a < 1.5), near, far);
  return select(isInfinite(z.re) | isInfinite(z.im), kInf, result);
}

/// Where both parts came out as NaN: the limits at zero divisors and at
/// infinities (C, annex G).
Complex withDivisionLimits(Complex q, Complex z, Complex w) {
  auto boxed = [](Number x) {
    return copySign(select(isInfinite(x), x.constant(1), x.constant(0)), x);
  };
  Truth isWrong = isNaN(q.re) & isNaN(q.im);
  Truth byZero = (w.re == 0) & (w.im == 0) & !(isNaN(z.re) & isNaN(z.im));
  Number infinite = copySign(q.re.constant(kInf), w.re);
  Truth zInfinite = isInfinite(z.re) | isInfinite(z.im);
  Truth wInfinite = isInfinite(w.re) | isInfinite(w.im);
  Truth zFinite = (abs(z.re) < kInf) & (abs(z.im) < kInf);
  Truth wFinite = (abs(w.re) < kInf) & (abs(w.im) < kInf);
  Complex zBox{boxed(z.re), boxed(z.im)}, wBox{boxed(w.re), boxed(w.im)};
  Complex large{kInf * (zBox.re * w.re + zBox.im * w.im),
                kInf * (zBox.im * w.re - zBox.re * w.im)};
  Complex small{0.0 * (z.re * wBox.re + z.im * wBox.im),
                0.0 * (z.im * wBox.re - z.re * wBox.im)};
  Complex limit = select(isWrong & zFinite & wInfinite, small, q);
  limit = select(isWrong & zInfinite & wFinite, large, limit);
  return select(isWrong & byZero, scaled(z, infinite), limit);
}

} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Complex operator+(Complex z, Complex w) { return {z.re + w.re, z.im + w.im}; }
Complex operator-(Complex z, Complex w) { return {z.re - w.re, z.im - w.im}; }
Complex operator*(Complex z, Complex w) {
  return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}

Complex select(Truth condition, Complex z, Complex w) {
  return {select(condition, z.re, w.re), select(condition, z.im, w.im)};
}

Complex divideNarrow(Complex z, Complex w) {
  Number square = w.re * w.re + w.im * w.im;
  Complex q{(z.re * w.re + z.im * w.im) / square,
            (z.im * w.re - z.re * w.im) / square};
  return withDivisionLimits(q, z, w);
}

Number wide(Number x) {
  Type type = x.b->getF64Type();
  return x.value.getType() == type
             ? x
             : x.of(x.b->create<arith::ExtFOp>(x.loc, type, x.value));
}
Complex wide(Complex z) { return {wide(z.re), wide(z.im)}; }

Number narrow(Number x, Type type) {
  return x.value.getType() == type
             ? x
             : x.of(x.b->create<arith::TruncFOp>(x.loc, type, x.value));
}
Complex narrow(Complex z, Type type) {
  return {narrow(z.re, type), narrow(z.im, type)};
}

Complex quotient(Complex z, Complex w) {
  Type type = z.re.value.getType();
  if (type.isF64())
    return divide(z, w);
  return narrow(divideNarrow(wide(z), wide(w)), type);
}

/// Numerator and denominator scaled to parts below two.
Complex divide(Complex z, Complex w) {
  Value zn = exponentOf(largerPart(z)), wn = exponentOf(largerPart(w));
  Complex a = shifted(z, negative(z.re, zn)),
          b = shifted(w, negative(w.re, wn));
  Number square = b.re * b.re + b.im * b.im;
  Complex q{productSum(a.re, b.re, a.im, b.im) / square,
            productSum(a.im, b.re, -a.re, b.im) / square};
  Value n = z.re.b->create<arith::SubIOp>(z.re.loc, zn, wn);
  return withDivisionLimits(shifted(q, n), z, w);
}

Number absoluteNarrow(Complex z) {
  return select(isInfinite(z.re) | isInfinite(z.im), kInf,
                sqrt(z.re * z.re + z.im * z.im));
}

Number absolute(Complex z) { return callLibm("hypot", {z.re, z.im}); }

/// z / |z|; a zero stays.
Complex sign(Complex z) {
  Complex a = shifted(z, negative(z.re, exponentOf(largerPart(z))));
  Number size = absolute(a);
  Complex unit{a.re / size, a.im / size};
  return select((z.re == 0) & (z.im == 0), z, unit);
}

//===----------------------------------------------------------------------===//
// Exponential functions
//===----------------------------------------------------------------------===//

Complex exp(Complex z) {
  Complex result{expTimes(z.re, cos(z.im)), expTimes(z.re, sin(z.im))};
  // Real arguments have real results; e^-inf is zero in every direction.
  Truth isReal = z.im == 0;
  result.im = select(isReal, z.im, result.im);
  Truth isLow = z.re == -kInf;
  return {select(isLow, 0, result.re), select(isLow, 0, result.im)};
}

/// Re: (e^x - 1) cos y + (cos y - 1), where cos y - 1 = -2 sin(y/2)^2.
Complex expm1(Complex z) {
  Number half = sin(0.5 * z.im);
  Number real = expm1(z.re) * cos(z.im) - 2 * half * half;
  Complex power = exp(z);
  Truth isLarge = z.re > 40;
  Truth isReal = z.im == 0;
  Number re = select(isLarge, power.re, real);
  re = select(isReal | (z.re == -kInf), expm1(z.re), re);
  return {re, power.im};
}

Complex log(Complex z) { return {logAbsolute(z), atan2(z.im, z.re)}; }

/// |1 + z|^2 - 1 = 2x + x^2 + y^2 with the rounding errors of all sums.
Complex log1p(Complex z) {
  Number u = z.re + 1;
  Pair xx = exactProduct(z.re, z.re), yy = exactProduct(z.im, z.im);
  Pair first = exactSum(2 * z.re, xx.high);
  Pair second = exactSum(first.high, yy.high);
  Number excess = second.high + (second.low + (first.low + (xx.low + yy.low)));
  Truth isNear = (excess > -0.5) & (excess < 1) & (abs(z.re) < 2);
  Number re = choose(
      isNear, [&] { return 0.5 * log1p(excess); },
      [&] { return logAbsolute({u, z.im}); });
  return {re, atan2(z.im, u)};
}

/// 1/(1 + e^-z) or e^z/(1 + e^z), whichever exponential is at most one; between
/// them, where the poles are, (1 + tanh(z/2)) / 2.
Complex logistic(Complex z) {
  Truth isPositive = z.re >= 0;
  Complex power = exp(select(isPositive, -z, z));
  Complex one{z.re.constant(1), z.re.constant(0)};
  Complex outer = divide(select(isPositive, one, power), one + power);
  Complex turned = tanh({z.re * 0.5, z.im * 0.5});
  Complex inner{0.5 + 0.5 * turned.re, 0.5 * turned.im};
  return select(abs(z.re) < 1, inner, outer);
}

/// e^(w log z). The power 0 is one; zero to a power with a positive real part
/// is zero.
Complex pow(Complex z, Complex w) {
  Complex l = log(z);
  Complex result = exp({productSum(w.re, l.re, -w.im, l.im),
                        productSum(w.re, l.im, w.im, l.re)});
  Truth isReal = (w.im == 0) & (z.im == 0) & (z.re > 0);
  result.re = choose(
      isReal, [&] { return pow(z.re, w.re); }, [&] { return result.re; });
  result.im = select(isReal, l.im, result.im);
  Truth isZero = (z.re == 0) & (z.im == 0);
  Complex one{z.re.constant(1), z.re.constant(0)};
  Complex zero{z.re.constant(0), z.re.constant(0)};
  result = select(isZero & (w.re > 0) & (abs(w.im) < kInf), zero, result);
  return select((w.re == 0) & (w.im == 0), one, result);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// For x >= 0: t + iy/2t with t = sqrt((x + |z|) / 2); else the parts change
/// places. Large and small numbers are scaled by even powers of two.
Complex sqrt(Complex z) {
  Number size = largerPart(z), one = size.constant(1);
  Truth isLarge = size > 0x1p1000, isSmall = size < 0x1p-900;
  Number factor = select(isLarge, 0x1p-8, select(isSmall, 0x1p108, one));
  Number back = select(isLarge, 0x1p4, select(isSmall, 0x1p-54, one));
  Number x = abs(z.re) * factor, y = abs(z.im) * factor;
  Number t = sqrt((x + absolute({x, y})) * 0.5);
  Number other = y / (t + t);
  t = t * back;
  other = select(size == 0, 0, other * back);
  Truth isRight = z.re >= 0;
  Complex result{select(isRight, t, other),
                 copySign(select(isRight, other, t), z.im)};
  Truth isVertical = isInfinite(z.im);
  return {select(isVertical, kInf, result.re),
          select(isVertical, z.im, result.im)};
}

Complex rsqrt(Complex z) {
  Complex root = sqrt(z);
  Complex one{z.re.constant(1), z.re.constant(0)};
  return divide(one, root);
}

/// The cube root next to the positive real axis.
Complex cbrt(Complex z) {
  Truth isLarge = largerPart(z) > 0x1p1000;
  Number one = z.re.constant(1);
  Complex a = scaled(z, select(isLarge, 0x1p-9, one));
  Number size = cbrt(absolute(a)) * select(isLarge, 8, one);
  Number angle = atan2(z.im, z.re) / 3;
  Truth isZero = (z.re == 0) & (z.im == 0);
  return {size * cos(angle),
          select(isZero | (angle == 0), z.im, size * sin(angle))};
}

} // namespace partopt::codegen
