//===- Combine.cpp - Element-wise combiners -------------------------------===//
//
// A codec says how an element is stored and what it is computed in; an
// operation says what happens to two values. Their product is the table.
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/Combine.h"

#include "runtime/collectives/NarrowFloat.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

namespace partopt::rt {

using plan::Combiner;
using plan::ElementType;

namespace {

// ---- codecs ----------------------------------------------------------------

template <typename T> struct Plain {
  using Storage = T;
  static T decode(T value) { return value; }
  static T encode(T value) { return value; }
};

struct Boolean {
  using Storage = uint8_t;
  static bool decode(uint8_t value) { return value != 0; }
  static uint8_t encode(bool value) { return value; }
};

/// A four-bit integer in a byte: arithmetic wraps to four bits.
template <typename T> struct Nibble {
  using Storage = T;
  static T decode(T value) { return value; }
  static T encode(T value) {
    auto bits = static_cast<uint8_t>(static_cast<uint8_t>(value) << 4);
    return static_cast<T>(static_cast<T>(bits) >> 4);
  }
};

// ---- operations ------------------------------------------------------------

/// Integers wrap: compute in the unsigned type of the same width.
template <typename T, typename Compute> T wrapping(T a, T b, Compute compute) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(
      static_cast<U>(compute(static_cast<U>(a), static_cast<U>(b))));
}

template <typename T>
constexpr bool isWholeNumber =
    std::is_integral_v<T> && !std::is_same_v<T, bool>;

struct Sum {
  static bool apply(bool a, bool b) { return a || b; }
  template <typename T> static T apply(T a, T b) {
    if constexpr (isWholeNumber<T>)
      return wrapping(a, b, [](auto x, auto y) { return x + y; });
    else
      return a + b;
  }
};

struct Product {
  static bool apply(bool a, bool b) { return a && b; }
  template <typename T> static T apply(T a, T b) {
    if constexpr (isWholeNumber<T>)
      // Promotion of uint16_t to int would overflow.
      return wrapping(a, b, [](auto x, auto y) {
        return static_cast<uint64_t>(x) * static_cast<uint64_t>(y);
      });
    else
      return a * b;
  }
};

struct Max {
  static bool apply(bool a, bool b) { return a || b; }
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b))
        return a + b; // NaN
      if (a == b)
        return std::signbit(a) ? b : a;
    }
    return a > b ? a : b;
  }
};

struct Min {
  static bool apply(bool a, bool b) { return a && b; }
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b))
        return a + b; // NaN
      if (a == b)
        return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
  }
};

struct And {
  static bool apply(bool a, bool b) { return a && b; }
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  static bool apply(bool a, bool b) { return a || b; }
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

// ---- the table -------------------------------------------------------------

template <typename Codec, typename Operation>
void combine(void *accumulator, const void *incoming, uint64_t count) {
  using Storage = typename Codec::Storage;
  auto *out = static_cast<uint8_t *>(accumulator);
  const auto *in = static_cast<const uint8_t *>(incoming);
  for (uint64_t i = 0; i < count; ++i) {
    Storage a, b;
    std::memcpy(&a, out + i * sizeof(Storage), sizeof(Storage));
    std::memcpy(&b, in + i * sizeof(Storage), sizeof(Storage));
    a = Codec::encode(Operation::apply(Codec::decode(a), Codec::decode(b)));
    std::memcpy(out + i * sizeof(Storage), &a, sizeof(Storage));
  }
}

template <typename Codec> CombineFunction arithmetic(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return combine<Codec, Sum>;
  case Combiner::Product:
    return combine<Codec, Product>;
  default:
    return nullptr;
  }
}

template <typename Codec> CombineFunction ordered(Combiner combiner) {
  switch (combiner) {
  case Combiner::Min:
    return combine<Codec, Min>;
  case Combiner::Max:
    return combine<Codec, Max>;
  default:
    return arithmetic<Codec>(combiner);
  }
}

template <typename Codec> CombineFunction bitwise(Combiner combiner) {
  switch (combiner) {
  case Combiner::And:
    return combine<Codec, And>;
  case Combiner::Or:
    return combine<Codec, Or>;
  default:
    return ordered<Codec>(combiner);
  }
}

} // namespace

CombineFunction combineFunction(ElementType type, Combiner combiner) {
  switch (type) {
  case ElementType::Invalid:
    return nullptr;
  case ElementType::I1:
    return bitwise<Boolean>(combiner);
  case ElementType::I4:
    return bitwise<Nibble<int8_t>>(combiner);
  case ElementType::U4:
    return bitwise<Nibble<uint8_t>>(combiner);
  case ElementType::I8:
    return bitwise<Plain<int8_t>>(combiner);
  case ElementType::I16:
    return bitwise<Plain<int16_t>>(combiner);
  case ElementType::I32:
    return bitwise<Plain<int32_t>>(combiner);
  case ElementType::I64:
    return bitwise<Plain<int64_t>>(combiner);
  case ElementType::U8:
    return bitwise<Plain<uint8_t>>(combiner);
  case ElementType::U16:
    return bitwise<Plain<uint16_t>>(combiner);
  case ElementType::U32:
    return bitwise<Plain<uint32_t>>(combiner);
  case ElementType::U64:
    return bitwise<Plain<uint64_t>>(combiner);
  case ElementType::F8E4M3FN:
    return ordered<F8E4M3FN>(combiner);
  case ElementType::F8E5M2:
    return ordered<F8E5M2>(combiner);
  case ElementType::F8E4M3B11FNUZ:
    return ordered<F8E4M3B11FNUZ>(combiner);
  case ElementType::F8E4M3FNUZ:
    return ordered<F8E4M3FNUZ>(combiner);
  case ElementType::F8E5M2FNUZ:
    return ordered<F8E5M2FNUZ>(combiner);
  case ElementType::BF16:
    return ordered<BF16>(combiner);
  case ElementType::F16:
    return ordered<F16>(combiner);
  case ElementType::F32:
    return ordered<Plain<float>>(combiner);
  case ElementType::F64:
    return ordered<Plain<double>>(combiner);
  case ElementType::C64:
    return arithmetic<Plain<std::complex<float>>>(combiner);
  case ElementType::C128:
    return arithmetic<Plain<std::complex<double>>>(combiner);
  }
  return nullptr;
}

} // namespace partopt::rt
