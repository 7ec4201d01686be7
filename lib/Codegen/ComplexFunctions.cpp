// Circular and hyperbolic functions of complex numbers and their inverses.
#include "ComplexNumbers.h"

#include <limits>

namespace partopt::codegen {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kLn2 = 0.693147180559945309417;
static constexpr double kHalfPi = 1.57079632679489661923;

//===----------------------------------------------------------------------===//
// Circular and hyperbolic functions
//===----------------------------------------------------------------------===//

/// cosh y and sinh y times one factor each.
static Complex hyperbolic(Number y, Number coshFactor, Number sinhFactor) {
  Number size = abs(y);
  Truth isLarge = size > 700;
  // Here both are e^|y| / 2.
  Number large = size - kLn2;
  Number signedFactor = copySign(y.constant(1), y) * sinhFactor;
  Number power = exp(size);
  Number re = choose(
      isLarge, [&] { return expTimes(large, coshFactor); },
      [&] { return 0.5 * (power + 1 / power) * coshFactor; });
  Number im = choose(
      isLarge, [&] { return expTimes(large, signedFactor); },
      [&] { return sinh(y) * sinhFactor; });
  return {re, im};
}

/// sin x cosh y + i cos x sinh y
Complex sin(Complex z) {
  Number s = sin(z.re), c = cos(z.re);
  Complex result = hyperbolic(z.im, s, c);
  return {select(z.re == 0, z.re, result.re),
          select(z.im == 0, z.im, result.im)};
}

/// cos x cosh y - i sin x sinh y
Complex cos(Complex z) {
  Number s = sin(z.re), c = cos(z.re);
  Complex result = hyperbolic(z.im, c, -s);
  Number zero = copySign(s.constant(0), z.re) * copySign(s.constant(-1), z.im);
  return {result.re, select((z.re == 0) | (z.im == 0), zero, result.im)};
}

/// W. Kahan's: with t = tan y and s = sinh x, 1 + (1 + t^2) s^2 below both
/// parts; far out the imaginary part is 4 sin y cos y e^-2|x|.
Complex tanh(Complex z) {
  Number size = abs(z.re);
  Number t = tan(z.im), s = sinh(smaller(size, size.constant(22)));
  Number beta = 1 + t * t;
  Number below = 1 + beta * (s * s);
  Complex near{copySign(beta * sqrt(1 + s * s) * s / below, z.re), t / below};
  Complex far{copySign(size.constant(1), z.re),
              4 * sin(z.im) * cos(z.im) * exp(-2 * size)};
  Complex result = select(size > 20, far, near);
  Number zero = copySign(size.constant(0), z.im);
  return {result.re, select(isInfinite(z.re) | (z.im == 0), zero, result.im)};
}

/// Functions f of z = x + iy from their g with f(z) = -i g(iz), where g is odd
/// and g(conj z) = conj g(z): the parts of argument and result change places.
static Complex turned(Complex z, Complex (*g)(Complex)) {
  Complex result = g({z.im, z.re});
  return {result.im, result.re};
}

Complex sinh(Complex z) { return turned(z, sin); }
Complex tan(Complex z) { return turned(z, tanh); }
Complex asinh(Complex z) { return turned(z, asin); }
Complex atan(Complex z) { return turned(z, atanh); }

/// cos(iz), and cos is even.
Complex cosh(Complex z) {
  Complex result = cos({z.im, z.re});
  return {result.re, -result.im};
}

//===----------------------------------------------------------------------===//
// Inverse functions, after W. Kahan, "Branch cuts for complex elementary
// functions" (1987)
//===----------------------------------------------------------------------===//

namespace {

/// The roots of 1 - z and 1 + z.
struct Roots {
  Complex minus, plus;
};

Roots rootsOf(Complex z) {
  return {sqrt({1 - z.re, -z.im}), sqrt({1 + z.re, z.im})};
}

/// Im(conj(u) v)
Number imaginaryProduct(Complex u, Complex v) {
  return productSum(u.re, v.im, -u.im, v.re);
}

Truth isUnbounded(Complex z) { return isInfinite(z.re) | isInfinite(z.im); }

/// The angle of a result and its other part, which grows with |z|, at infinite
/// arguments and with NaN.
Number angleAt(Complex z, Number angle) {
  return select(isNaN(z.re) | isNaN(z.im), kNaN, angle);
}
Number growthAt(Complex z, Number growth, Number sign) {
  return select(isUnbounded(z), copySign(sign.constant(kInf), sign), growth);
}

} // namespace

Complex asin(Complex z) {
  Roots roots = rootsOf(z);
  Number below =
      productSum(roots.minus.re, roots.plus.re, -roots.minus.im, roots.plus.im);
  below = select(isInfinite(z.re) & !isInfinite(z.im), 0, below);
  Number growth = asinh(imaginaryProduct(roots.minus, roots.plus));
  return {angleAt(z, atan2(z.re, below)), growthAt(z, growth, z.im)};
}

Complex acos(Complex z) {
  Roots roots = rootsOf(z);
  Number growth = asinh(imaginaryProduct(roots.plus, roots.minus));
  return {angleAt(z, 2 * atan2(roots.minus.re, roots.plus.re)),
          growthAt(z, growth, -z.im)};
}

Complex acosh(Complex z) {
  Complex minus = sqrt({z.re - 1, z.im}), plus = sqrt({z.re + 1, z.im});
  Number growth = asinh(productSum(minus.re, plus.re, minus.im, plus.im));
  return {growthAt(z, growth, z.re.constant(1)),
          angleAt(z, 2 * atan2(minus.im, plus.re))};
}

/// Far out 1/z and the half turn; elsewhere
/// log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2.
Complex atanh(Complex z) {
  Number x = abs(z.re), y = z.im, zero = x.constant(0);
  Truth isFar = (largerPart(z) > 0x1p60) | isUnbounded(z);
  Number distance = (1 - x) * (1 - x) + y * y;
  Number re = 0.25 * log1p(4 * x / distance);
  Number im = 0.5 * atan2(2 * y, productSum(1 - x, 1 + x, -y, y));
  Complex inverse = divide({x.constant(1), zero}, {x, y});
  re = select(isFar, inverse.re, re);
  re = select(isUnbounded(z) | (x == 0), zero, re);
  im = select(isFar, copySign(x.constant(kHalfPi), y), im);
  return {copySign(re, z.re), im};
}

} // namespace partopt::codegen
