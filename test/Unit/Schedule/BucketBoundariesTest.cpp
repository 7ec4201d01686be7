// Buckets against a search of all ways to cut.

#include "partopt/Schedule/BucketBoundaries.h"

#include <gtest/gtest.h>
#include <random>

using namespace partopt;

namespace {

/// The earliest finish over all 2^(n-1) ways to cut, and the fewest buckets
/// that have it.
std::pair<double, size_t> bestOfAll(const std::vector<ReadyGradient> &gradients,
                                    const LinkCost &link) {
  size_t n = gradients.size(), fewest = n;
  double best = 1e300;
  for (unsigned cuts = 0; cuts < 1u << (n - 1); ++cuts) {
    std::vector<unsigned> ends;
    for (unsigned i = 0; i + 1 < n; ++i)
      if (cuts >> i & 1)
        ends.push_back(i + 1);
    ends.push_back(static_cast<unsigned>(n));
    double finish = bucketsFinish(gradients, ends, link);
    if (finish < best * (1 - 1e-11))
      fewest = n;
    if (finish < best * (1 + 1e-11))
      fewest = std::min(fewest, ends.size());
    best = std::min(best, finish);
  }
  return {best, fewest};
}

TEST(BucketBoundaries, FinishEarliestOfAll) {
  std::mt19937 random(11);
  unsigned withSeveral = 0;
  for (int trial = 0; trial < 300; ++trial) {
    LinkCost link{double(random() % 50) * 1e-6, 1e9};
    std::vector<ReadyGradient> gradients;
    double now = 0;
    for (unsigned i = 0, n = 1 + random() % 10; i < n; ++i) {
      now += double(random() % 40) * 1e-6;
      gradients.push_back({now, double(random() % 60000)});
    }
    std::vector<unsigned> ends = chooseBuckets(gradients, link);
    ASSERT_EQ(ends.back(), gradients.size());
    auto [finish, fewest] = bestOfAll(gradients, link);
    EXPECT_NEAR(bucketsFinish(gradients, ends, link), finish, 1e-12);
    EXPECT_EQ(ends.size(), fewest);
    withSeveral += ends.size() > 1;
  }
  EXPECT_GT(withSeveral, 100u);
}

TEST(BucketBoundaries, LatencyJoinsAndBandwidthCuts) {
  // A gradient of 1 MB every millisecond.
  std::vector<ReadyGradient> gradients;
  for (unsigned i = 0; i < 10; ++i)
    gradients.push_back({1e-3 * i, 1e6});
  // A link that is fast enough: the last one alone, so that only it is exposed,
  // and before it as few as are done by then.
  std::vector<unsigned> ends = chooseBuckets(gradients, {1e-6, 2e9});
  EXPECT_EQ(ends.back() - ends[ends.size() - 2], 1u);
  EXPECT_LT(ends.size(), 6u);
  // Starting costs more than everything else.
  EXPECT_EQ(chooseBuckets(gradients, {1.0, 2e9}).size(), 1u);
  EXPECT_TRUE(chooseBuckets({}, {1e-6, 2e9}).empty());
}

TEST(BucketBoundaries, IsLinear) {
  std::vector<ReadyGradient> gradients;
  for (unsigned i = 0; i < 1000000; ++i)
    gradients.push_back({1e-6 * i, double(i * 7919u % 10000u)});
  EXPECT_EQ(chooseBuckets(gradients, LinkCost{20e-6, 2e9}).back(), 1000000u);
}

} // namespace
