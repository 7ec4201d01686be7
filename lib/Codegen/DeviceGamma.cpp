// The error function, gamma and its logarithm in f64, with the approximations
// of the Cephes library (S. L. Moshier).
#include "DeviceFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace partopt::codegen::device {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kPi = 3.14159265358979323846;

/// erfc(a) for a >= 1: e^(-a^2), with the square's rounding error made good,
/// times a rational function.
static Number erfcTail(Number x) {
  Number a = select(x > 28, 28, x), square = a * a;
  Number error = fma(a, a, -square);
  Number p =
      polynomial(a, {2.46196981473530512524E-10, 5.64189564831068821977E-1,
                     7.46321056442269912687E0, 4.86371970985681366614E1,
                     1.96520832956077098242E2, 5.26445194995477358631E2,
                     9.34528527171957607540E2, 1.02755188689515710272E3,
                     5.57535335369399327526E2});
  Number q =
      polynomial(a, {1.0, 1.32281951154744992508E1, 8.67072140885989742329E1,
                     3.54937778887819891062E2, 9.75708501743205489753E2,
                     1.82390916687909736289E3, 2.24633760818710981792E3,
                     1.65666309194161350182E3, 5.57535340817727675546E2});
  Number r =
      polynomial(a, {5.64189583547755073984E-1, 1.27536670759978104416E0,
                     5.01905042251180477414E0, 6.16021097993053585195E0,
                     7.40974269950448939160E0, 2.97886665372100240670E0});
  Number s =
      polynomial(a, {1.0, 2.26052863220117276590E0, 9.39603524938001434673E0,
                     1.20489539808096656605E1, 1.70814450747565897222E1,
                     9.60896809063285878198E0, 3.36907645100081516050E0});
  Number value = codegen::exp(-square) * select(a < 8, p / q, r / s);
  return fma(-value, error, value);
}

static Number erfNear(Number x) {
  Number z = x * x;
  Number t = polynomial(z, {9.60497373987051638749E0, 9.00260197203842689217E1,
                            2.23200534594684319226E3, 7.00332514112805075473E3,
                            5.55923013010394962768E4});
  Number u =
      polynomial(z, {1.0, 3.35617141647503099647E1, 5.21357949780152679795E2,
                     4.59432382970980127987E3, 2.26290000613890934246E4,
                     4.92673942608635921086E4});
  return x * (t / u);
}

Number erf(Number x) {
  Number a = abs(x);
  return select(a < 1, erfNear(x), copySign(1 - erfcTail(a), x));
}

Number erfc(Number x) {
  Number a = abs(x), tail = erfcTail(a);
  return select(a < 1, 1 - erfNear(x), select(x < 0, 2 - tail, tail));
}

/// x moved into [2, 3), and the product of what lies between: gamma(x) =
/// product gamma(moved), for |x| < 40.
static std::pair<Number, Number> moveNear(Number x) {
  Numbers down = repeatWhile(
      {x, x.constant(1)}, [](const Numbers &v) { return v[0] >= 3; },
      [](const Numbers &v) -> Numbers {
        Number below = v[0] - 1;
        return {below, v[1] * below};
      });
  Numbers up = repeatWhile(
      down, [](const Numbers &v) { return v[0] < 2; },
      [](const Numbers &v) -> Numbers { return {v[0] + 1, v[1] / v[0]}; });
  return {up[0], up[1]};
}

static Number lgammaNear(Number x) {
  auto [near, product] = moveNear(x);
  Number t = near - 2;
  Number p =
      polynomial(t, {-1.37825152569120859100E3, -3.88016315134637840924E4,
                     -3.31612992738871184744E5, -1.16237097492762307383E6,
                     -1.72173700820839662146E6, -8.53555664245765465627E5});
  Number q =
      polynomial(t, {1.0, -3.51815701436523470549E2, -1.70642106651881159223E4,
                     -2.20528590553854454839E5, -1.13933444367982507207E6,
                     -2.53252307177582951285E6, -2.01889141433532773231E6});
  return codegen::log(abs(product)) + t * p / q;
}

/// Stirling's series, x >= 13.
static Number lgammaFar(Number x) {
  Number inverse = 1 / x;
  Number series = polynomial(
      inverse * inverse, {8.11614167470508450300E-4, -5.95061904284301438324E-4,
                          7.93650340457716943945E-4, -2.77777777730099687205E-3,
                          8.33333333333331927722E-2});
  Number value = (x - 0.5) * codegen::log(x) - x + 0.91893853320467274178;
  return fma(series, inverse, value);
}

Number lgamma(Number x) {
  Number a = abs(x);
  Number value = choose(
      a < 13, [&] { return lgammaNear(x); },
      [&] {
        Number far = lgammaFar(a);
        // gamma(x) gamma(-x) = -pi / (x sin(pi x))
        return choose(
            x < 0,
            [&] {
              Number distance = a - roundEven(a);
              return std::log(kPi) -
                     codegen::log(a * abs(codegen::sin(kPi * distance))) - far;
            },
            [&] { return far; });
      });
  Truth isPole = (x <= 0) & isWhole(x);
  return select(isPole | isInfinite(x), kInf, value);
}

Number tgamma(Number x) {
  Number bounded = select(abs(x) > 180, 2, x);
  auto [near, product] = moveNear(bounded);
  Number t = near - 2;
  Number p =
      polynomial(t, {1.60119522476751861407E-4, 1.19135147006586384913E-3,
                     1.04213797561761569935E-2, 4.76367800457137231464E-2,
                     2.07448227648435975150E-1, 4.94214826801497100753E-1,
                     9.99999999999999996796E-1});
  Number q =
      polynomial(t, {-2.31581873324120129819E-5, 5.39605580493303397842E-4,
                     -4.45641913851797240494E-3, 1.18139785222060435552E-2,
                     3.58236398605498653373E-2, -2.34591795718243348568E-1,
                     7.14304917030273074085E-2, 1.00000000000000000320E0});
  Number value = product * (p / q);
  value = select(x > 180, kInf, select(x < -180, 0, value));
  return select((x < 0) & isWhole(x), kNaN, select(isNaN(x), x, value));
}

} // namespace partopt::codegen::device
