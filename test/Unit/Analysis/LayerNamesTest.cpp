// Numbered parts of names, and repeats against a search of all of them.

#include "partopt/Analysis/Layers.h"

#include <gtest/gtest.h>
#include <random>

using namespace partopt;

namespace {

TEST(LayerNames, NumberedPart) {
  EXPECT_EQ(numberedPart("params['layers'][0]['wq']"), "layers.0");
  EXPECT_EQ(numberedPart("h.11.attn.weight"), "h.11");
  EXPECT_EQ(numberedPart("block_1/w"), "block_1");
  EXPECT_EQ(numberedPart("params['layers.2.bias']"), "layers.2");
  EXPECT_EQ(numberedPart("params[3]['b']"), "params.3");
  // The last word is the parameter's own.
  EXPECT_EQ(numberedPart("params['w1']"), "");
  EXPECT_EQ(numberedPart("params['tok']"), "");
  EXPECT_EQ(numberedPart(""), "");
}

TEST(LayerNames, FirstWord) {
  EXPECT_EQ(firstWord("params['lnf']['b']"), "lnf");
  EXPECT_EQ(firstWord("params"), "params");
  EXPECT_EQ(firstWord(""), "");
}

unsigned any(const Repeat &one) { return one.copies; }

TEST(FindRepeat, LayersBetweenOthers) {
  std::vector<unsigned> keys = {9, 8, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 7};
  auto found = findRepeat(keys, 0, keys.size(), any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 2u);
  EXPECT_EQ(found->period, 3u);
  EXPECT_EQ(found->copies, 3u);
  EXPECT_EQ(found->slack, 2u);
}

TEST(FindRepeat, RefusedCandidatesGiveWay) {
  std::vector<unsigned> keys = {1, 1, 1, 1, 1, 5, 2, 3, 2, 3};
  auto none = [](const Repeat &) { return 1u; };
  EXPECT_FALSE(findRepeat(keys, 0, keys.size(), none));
  auto late = [](const Repeat &one) { return one.begin > 4 ? one.copies : 1; };
  auto found = findRepeat(keys, 0, keys.size(), late);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 6u);
  // A part of the copies stays.
  auto three = [](const Repeat &one) {
    return one.period == 1 ? std::min(3u, one.copies) : 1;
  };
  found = findRepeat(keys, 0, keys.size(), three);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 0u);
  EXPECT_EQ(found->copies, 3u);
}

/// The most elements that repeats of any place and period cover.
unsigned mostCovered(const std::vector<unsigned> &keys) {
  unsigned best = 0, n = keys.size();
  for (unsigned period = 1; period <= n / 2; ++period)
    for (unsigned begin = 0; begin + 2 * period <= n; ++begin) {
      unsigned copies = 1;
      while (begin + (copies + 1) * period <= n &&
             std::equal(keys.begin() + begin, keys.begin() + begin + period,
                        keys.begin() + begin + copies * period))
        ++copies;
      if (copies > 1)
        best = std::max(best, copies * period);
    }
  return best;
}

TEST(FindRepeat, CoversAsMuchAsASearchOfAll) {
  std::mt19937 random(7);
  unsigned withRepeat = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<unsigned> keys;
    unsigned period = 1 + random() % 5, copies = random() % 5;
    for (unsigned i = 0; i < random() % 4; ++i)
      keys.push_back(random() % 4);
    for (unsigned i = 0; i < period * copies; ++i)
      keys.push_back(i % period % 4);
    for (unsigned i = 0; i < random() % 4; ++i)
      keys.push_back(random() % 4);
    auto found = findRepeat(keys, 0, keys.size(), any);
    unsigned covered = found ? found->period * found->copies : 0;
    EXPECT_EQ(covered, mostCovered(keys));
    withRepeat += covered > 0;
  }
  EXPECT_GT(withRepeat, 200u);
}

} // namespace
