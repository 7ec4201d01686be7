//===- CombineTest.cpp - Combiners and narrow floats ----------------------===//
//
// Rounding, NaN, signed zero and wrap-around of each combiner, and the narrow
// formats against their definitions.
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/Combine.h"
#include "runtime/collectives/NarrowFloat.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>

using namespace partopt::rt;
using partopt::plan::Combiner;
using partopt::plan::ElementType;

namespace {

template <typename T> T combined(ElementType type, Combiner how, T a, T b) {
  CombineFunction function = combineFunction(type, how);
  EXPECT_NE(function, nullptr);
  function(&a, &b, 1);
  return a;
}

float f32(Combiner how, float a, float b) {
  return combined(ElementType::F32, how, a, b);
}

TEST(Combine, NaNAndSignedZero) {
  float nan = std::nanf("");
  for (Combiner how : {Combiner::Min, Combiner::Max}) {
    EXPECT_TRUE(std::isnan(f32(how, nan, 1)));
    EXPECT_TRUE(std::isnan(f32(how, 1, nan)));
  }
  EXPECT_FALSE(std::signbit(f32(Combiner::Max, -0.f, 0.f)));
  EXPECT_FALSE(std::signbit(f32(Combiner::Max, 0.f, -0.f)));
  EXPECT_TRUE(std::signbit(f32(Combiner::Min, -0.f, 0.f)));
  EXPECT_TRUE(std::signbit(f32(Combiner::Min, 0.f, -0.f)));
}

TEST(Combine, IntegersWrap) {
  EXPECT_EQ(combined<int8_t>(ElementType::I8, Combiner::Sum, 127, 1), -128);
  EXPECT_EQ(combined<int32_t>(ElementType::I32, Combiner::Sum, INT32_MAX, 1),
            INT32_MIN);
  EXPECT_EQ(
      combined<uint16_t>(ElementType::U16, Combiner::Product, 65535, 65535), 1);
  EXPECT_EQ(combined<int8_t>(ElementType::I4, Combiner::Sum, 7, 1), -8);
  EXPECT_EQ(combined<uint8_t>(ElementType::U4, Combiner::Sum, 15, 2), 1);
  EXPECT_EQ(combined<int16_t>(ElementType::I16, Combiner::Min, -5, 3), -5);
  EXPECT_EQ(combined<uint64_t>(ElementType::U64, Combiner::Max, UINT64_MAX, 3),
            UINT64_MAX);
  EXPECT_EQ(combined<uint8_t>(ElementType::U8, Combiner::And, 12, 10), 8);
  EXPECT_EQ(combined<uint8_t>(ElementType::U8, Combiner::Or, 12, 10), 14);
}

TEST(Combine, BooleansAreLogical) {
  auto i1 = [](Combiner how, uint8_t a, uint8_t b) {
    return combined(ElementType::I1, how, a, b);
  };
  for (Combiner how : {Combiner::Sum, Combiner::Or, Combiner::Max})
    EXPECT_EQ(i1(how, 1, 1) * 100 + i1(how, 0, 1) * 10 + i1(how, 0, 0), 110);
  for (Combiner how : {Combiner::Product, Combiner::And, Combiner::Min})
    EXPECT_EQ(i1(how, 1, 1) * 100 + i1(how, 0, 1) * 10 + i1(how, 0, 0), 100);
}

TEST(Combine, NarrowFloatsRoundOncePerStep) {
  // 256 + 1 is a tie in bf16's 8 bits: to even, 256. 258 + 1 is 259: to 260.
  auto bf16 = [](float a, float b) {
    return BF16::decode(combined(ElementType::BF16, Combiner::Sum,
                                 BF16::encode(a), BF16::encode(b)));
  };
  EXPECT_EQ(bf16(256, 1), 256);
  EXPECT_EQ(bf16(258, 1), 260);
  auto f16 = [](float a, float b) {
    return F16::decode(combined(ElementType::F16, Combiner::Sum, F16::encode(a),
                                F16::encode(b)));
  };
  EXPECT_EQ(f16(2048, 1), 2048);
  EXPECT_EQ(f16(2050, 1), 2052);
  EXPECT_TRUE(std::isinf(f16(65504, 65504)));
}

TEST(Combine, ComplexNumbers) {
  using C = std::complex<float>;
  EXPECT_EQ(combined(ElementType::C64, Combiner::Product, C(1, 2), C(3, -1)),
            C(5, 5));
  EXPECT_EQ(combined(ElementType::C128, Combiner::Sum,
                     std::complex<double>(1, 2), std::complex<double>(3, 4)),
            std::complex<double>(4, 6));
  EXPECT_EQ(combineFunction(ElementType::C64, Combiner::Max), nullptr);
  EXPECT_EQ(combineFunction(ElementType::F32, Combiner::And), nullptr);
}

template <typename Format> void roundTripsAndRounds(int bitCount) {
  using Bits = typename Format::Storage;
  float previous = -std::numeric_limits<float>::infinity();
  for (uint32_t i = 0; i < (1u << bitCount); ++i) {
    Bits bits = static_cast<Bits>(i);
    float value = Format::decode(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Format::decode(Format::encode(value))));
      continue;
    }
    EXPECT_EQ(Format::encode(value), bits) << i;
    if (i >= (1u << (bitCount - 1)))
      continue; // the negative half mirrors
    EXPECT_GT(value, previous);
    if (i > 0 && !std::isinf(value)) {
      // Halfway goes to the even neighbour, a little off it to the nearer.
      float middle = previous + (value - previous) / 2;
      Bits even = i % 2 ? static_cast<Bits>(i - 1) : bits;
      EXPECT_EQ(Format::encode(middle), even) << i;
      EXPECT_EQ(Format::encode(std::nextafter(middle, value)), bits) << i;
      EXPECT_EQ(Format::encode(std::nextafter(middle, previous)),
                static_cast<Bits>(i - 1))
          << i;
    }
    previous = value;
  }
}

TEST(NarrowFloat, EveryValue) {
  roundTripsAndRounds<F8E5M2>(8);
  roundTripsAndRounds<F8E4M3FN>(8);
  roundTripsAndRounds<F8E4M3B11FNUZ>(8);
  roundTripsAndRounds<F8E4M3FNUZ>(8);
  roundTripsAndRounds<F8E5M2FNUZ>(8);
  roundTripsAndRounds<F16>(16);
  roundTripsAndRounds<BF16>(16);
}

TEST(NarrowFloat, LargestValues) {
  EXPECT_EQ(F8E5M2::decode(F8E5M2::largest), 57344);
  EXPECT_EQ(F8E4M3FN::decode(F8E4M3FN::largest), 448);
  EXPECT_EQ(F8E4M3B11FNUZ::decode(F8E4M3B11FNUZ::largest), 30);
  EXPECT_EQ(F8E4M3FNUZ::decode(F8E4M3FNUZ::largest), 240);
  EXPECT_EQ(F8E5M2FNUZ::decode(F8E5M2FNUZ::largest), 57344);
  EXPECT_EQ(F16::decode(F16::largest), 65504);
  EXPECT_TRUE(std::isnan(F8E4M3FN::decode(F8E4M3FN::encode(1000))));
  EXPECT_TRUE(std::isinf(F8E5M2::decode(F8E5M2::encode(1e9f))));
}

} // namespace
