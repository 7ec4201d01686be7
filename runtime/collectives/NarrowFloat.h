//===- NarrowFloat.h - f8, f16 and bf16 in terms of f32 -------------------===//
//
// One description per format (exponent and mantissa bits, bias, how infinity
// and NaN are spelt) gives decoding and round-to-nearest-even encoding.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_COLLECTIVES_NARROWFLOAT_H
#define PARTOPT_RUNTIME_COLLECTIVES_NARROWFLOAT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace partopt::rt {

enum class Specials {
  Ieee, ///< infinities and NaNs in the top exponent
  FN,   ///< no infinity, NaN is all ones
  FNUZ  ///< no infinity, no -0, NaN is the sign bit alone
};

template <typename Bits, int ExponentBits, int MantissaBits, int Bias,
          Specials Kind>
struct NarrowFloat {
  using Storage = Bits;
  static constexpr int signShift = ExponentBits + MantissaBits;
  static constexpr Bits mantissaMask = (Bits(1) << MantissaBits) - 1;
  static constexpr Bits topExponent = (Bits(1) << ExponentBits) - 1;
  static constexpr Bits signBit = Bits(1) << signShift;
  static constexpr Bits nan =
      Kind == Specials::FNUZ ? signBit
      : Kind == Specials::FN
          ? Bits(signBit - 1)
          : Bits(topExponent << MantissaBits | Bits(1) << (MantissaBits - 1));
  /// The largest finite magnitude's bits.
  static constexpr Bits largest =
      Kind == Specials::Ieee
          ? Bits(((topExponent - 1) << MantissaBits) | mantissaMask)
      : Kind == Specials::FN ? Bits(signBit - 2)
                             : Bits(signBit - 1);

  static float decode(Bits bits) {
    bool negative = bits & signBit;
    Bits magnitude = bits & Bits(signBit - 1);
    if (Kind == Specials::FNUZ && bits == nan)
      return std::numeric_limits<float>::quiet_NaN();
    if (Kind == Specials::FN && magnitude == nan)
      return std::numeric_limits<float>::quiet_NaN();
    int exponent = magnitude >> MantissaBits;
    Bits mantissa = magnitude & mantissaMask;
    if (Kind == Specials::Ieee && exponent == topExponent) {
      float infinity = std::numeric_limits<float>::infinity();
      if (mantissa)
        return std::numeric_limits<float>::quiet_NaN();
      return negative ? -infinity : infinity;
    }
    float value = exponent == 0
                      ? std::ldexp(float(mantissa), 1 - Bias - MantissaBits)
                      : std::ldexp(float(mantissa | (1u << MantissaBits)),
                                   exponent - Bias - MantissaBits);
    return negative ? -value : value;
  }

  static Bits encode(float value) {
    if (std::isnan(value))
      return nan;
    Bits sign = std::signbit(value) ? signBit : Bits(0);
    double magnitude = std::fabs(double(value));
    Bits overflow =
        Kind == Specials::Ieee ? Bits(sign | topExponent << MantissaBits) : nan;
    if (std::isinf(value))
      return overflow;
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude in [2^(e-1), 2^e)
    int unit = std::max(exponent - 1, 1 - Bias) - MantissaBits;
    // Ties go to even: the default rounding mode of nearbyint.
    double steps = std::nearbyint(std::ldexp(magnitude, -unit));
    if (steps == 0)
      return Kind == Specials::FNUZ ? Bits(0) : sign;
    // Steps in units of the lowest exponent's spacing make the bits directly.
    uint64_t count = static_cast<uint64_t>(steps);
    uint64_t biased = uint64_t(unit + MantissaBits - (1 - Bias));
    uint64_t bits = (biased << MantissaBits) + count;
    return bits > largest ? overflow : Bits(sign | Bits(bits));
  }
};

using F16 = NarrowFloat<uint16_t, 5, 10, 15, Specials::Ieee>;
using F8E5M2 = NarrowFloat<uint8_t, 5, 2, 15, Specials::Ieee>;
using F8E4M3FN = NarrowFloat<uint8_t, 4, 3, 7, Specials::FN>;
using F8E4M3B11FNUZ = NarrowFloat<uint8_t, 4, 3, 11, Specials::FNUZ>;
using F8E4M3FNUZ = NarrowFloat<uint8_t, 4, 3, 8, Specials::FNUZ>;
using F8E5M2FNUZ = NarrowFloat<uint8_t, 5, 2, 16, Specials::FNUZ>;

/// bf16 is the upper half of f32.
struct BF16 {
  using Storage = uint16_t;
  static float decode(uint16_t bits) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    __builtin_memcpy(&value, &wide, sizeof(value));
    return value;
  }
  static uint16_t encode(float value) {
    uint32_t wide;
    __builtin_memcpy(&wide, &value, sizeof(wide));
    if (std::isnan(value))
      return static_cast<uint16_t>((wide >> 16) | 0x40);
    wide += 0x7fff + ((wide >> 16) & 1);
    return static_cast<uint16_t>(wide >> 16);
  }
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_COLLECTIVES_NARROWFLOAT_H
