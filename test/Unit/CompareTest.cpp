//===- CompareTest.cpp - Elements that are no numbers ---------------------===//
//
// NaN and infinities agree with their like alone, or where rounding makes them;
// they are counted, and hide no other fault.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Compare.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;

namespace {

template <typename T>
Comparison compare(plan::ElementType type, const std::vector<T> &got,
                   const std::vector<T> &want, uint64_t count) {
  plan::TensorT tensor;
  tensor.type = type;
  tensor.global_shape = {count};
  CompareSink sink(tensor, reinterpret_cast<const uint8_t *>(want.data()),
                   Tolerance{});
  sink.write(0, count, reinterpret_cast<const uint8_t *>(got.data()));
  return sink.comparison();
}

TEST(CompareTest, NaNsAndInfinitiesAreCountedWhereBothSidesHaveThem) {
  Comparison found = compare<float>(
      plan::ElementType::F32, {NAN, INFINITY, -INFINITY, INFINITY, NAN, 1},
      {NAN, INFINITY, -INFINITY, -INFINITY, 0, 1}, 6);
  EXPECT_EQ(found.nans, 1u);
  EXPECT_EQ(found.infinities, 2u);
  EXPECT_EQ(found.mismatches, 2u);
  EXPECT_FALSE(found.passed());
}

TEST(CompareTest, TheWorstElementIsFoundBehindNaN) {
  Comparison found =
      compare<float>(plan::ElementType::F32, {NAN, 1, 3}, {NAN, 1, 2}, 3);
  EXPECT_EQ(found.worstElement, 2u);
  EXPECT_EQ(found.worstDifference, 1);
}

TEST(CompareTest, AComplexNumberDiffersByItsImaginaryPartBesideNaN) {
  Comparison found = compare<float>(plan::ElementType::C64, {NAN, 1, 2, NAN},
                                    {NAN, 5, 2, NAN}, 2);
  EXPECT_EQ(found.elements, 2u);
  EXPECT_EQ(found.nans, 2u);
  EXPECT_EQ(found.mismatches, 1u);
}

TEST(CompareTest, WhatRoundingMakesInfiniteMayBe) {
  plan::TensorT tensor;
  tensor.type = plan::ElementType::F32;
  tensor.global_shape = {3};
  const float want[] = {1, 1, NAN}, changed[] = {INFINITY, 1.5, NAN};
  const float got[] = {-INFINITY, INFINITY, 2};
  ArraySpread spread(3);
  SpreadSink(tensor, reinterpret_cast<const uint8_t *>(want), spread)
      .write(0, 3, reinterpret_cast<const uint8_t *>(changed));
  EXPECT_EQ(spread.of(0), INFINITY);
  EXPECT_EQ(spread.of(1), 0.5);
  EXPECT_EQ(spread.of(2), 0);
  CompareSink sink(tensor, reinterpret_cast<const uint8_t *>(want), {0, 0},
                   {&spread, 4});
  sink.write(0, 3, reinterpret_cast<const uint8_t *>(got));
  EXPECT_EQ(sink.comparison().moved, 1u);
  EXPECT_EQ(sink.comparison().mismatches, 2u);
  EXPECT_NE(sink.comparison().worstElement, 0u);
}

} // namespace
