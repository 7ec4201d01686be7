//===- CutChainTest.cpp - Balanced cuts of a chain ------------------------===//

#include "partopt/Search/CutChain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace partopt;

namespace {

std::vector<int64_t> solve(const CutChainProblem &problem) {
  EXPECT_EQ(problem.check(), "");
  std::vector<int64_t> cuts = cutChain(problem);
  EXPECT_EQ(verifyCutChain(problem, cuts), "");
  return cuts;
}

double crossingOf(const CutChainProblem &problem,
                  const std::vector<int64_t> &cuts) {
  double sum = 0;
  for (int64_t cut : cuts)
    sum += problem.crossings[cut];
  return sum;
}

TEST(CutChain, EqualElementsAreSharedEqually) {
  CutChainProblem problem{std::vector<double>(12, 1.0),
                          std::vector<double>(12, 0.0), 4};
  EXPECT_EQ(solve(problem), (std::vector<int64_t>{3, 6, 9}));
}

TEST(CutChain, AHeavyEndHasAStageOfItsOwn) {
  // Eight layers and a head as long as three of them.
  CutChainProblem problem{
      {1, 1, 1, 1, 1, 1, 1, 1, 3}, std::vector<double>(9, 0.0), 4};
  std::vector<int64_t> cuts = solve(problem);
  EXPECT_EQ(cuts.back(), 8);
  EXPECT_EQ(longestStage(problem, cuts), 3);
}

TEST(CutChain, CutsWhereLeastCrosses) {
  // Within layers of three elements three times as much crosses.
  CutChainProblem problem{std::vector<double>(24, 1.0), {}, 4};
  for (int64_t i = 0; i < 24; ++i)
    problem.crossings.push_back(i % 3 == 0 ? 0.1 : 0.3);
  for (int64_t cut : solve(problem))
    EXPECT_EQ(cut % 3, 0);
}

TEST(CutChain, RefusesMoreStagesThanElements) {
  CutChainProblem problem{{1, 1}, {0, 0}, 3};
  EXPECT_EQ(problem.check(), "2 elements are no 3 stages");
  problem.stages = 0;
  EXPECT_EQ(problem.check(), "there is no stage");
  problem = {{1, -1}, {0, 0}, 2};
  EXPECT_EQ(problem.check(), "a time is negative or infinite");
  problem = {{1, 1}, {0}, 2};
  EXPECT_EQ(problem.check(), "2 elements have 1 crossings");
}

TEST(CutChain, VerifierRefusesWrongAnswers) {
  CutChainProblem problem{std::vector<double>(8, 1.0),
                          std::vector<double>(8, 0.0), 2};
  EXPECT_EQ(verifyCutChain(problem, {4}), "");
  EXPECT_EQ(verifyCutChain(problem, {}), "0 cuts make no 2 stages");
  EXPECT_EQ(verifyCutChain(problem, {0}),
            "the stage in front of element 0 is empty");
  EXPECT_EQ(verifyCutChain(problem, {8}),
            "the stage in front of element 8 is empty");
  EXPECT_EQ(verifyCutChain(problem, {1}),
            "the longest stage takes longer than with equal numbers of "
            "elements");
}

/// All ways to cut, one by one.
void bruteForce(const CutChainProblem &problem, double &longest,
                double &crossing) {
  int64_t n = int64_t(problem.times.size());
  std::vector<int64_t> cuts(problem.stages - 1);
  std::iota(cuts.begin(), cuts.end(), 1);
  std::vector<std::vector<int64_t>> all;
  for (bool more = true; more;) {
    all.push_back(cuts);
    int64_t k = int64_t(cuts.size()) - 1;
    while (k >= 0 && cuts[k] == n - int64_t(cuts.size()) + k)
      --k;
    more = k >= 0;
    if (more) {
      ++cuts[k];
      for (size_t j = k + 1; j < cuts.size(); ++j)
        cuts[j] = cuts[j - 1] + 1;
    }
  }
  longest = 1e300;
  for (const auto &one : all)
    longest = std::min(longest, longestStage(problem, one));
  crossing = 1e300;
  for (const auto &one : all)
    if (longestStage(problem, one) <= longest * (1 + problem.slack))
      crossing = std::min(crossing, crossingOf(problem, one));
}

TEST(CutChain, IsWithinItsSlackOfTheBestOfAllWays) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    CutChainProblem problem;
    int64_t n = 2 + random() % 11;
    problem.stages = 2 + random() % std::min<int64_t>(n - 1, 4);
    for (int64_t i = 0; i < n; ++i) {
      problem.times.push_back(double(random() % 100));
      problem.crossings.push_back(double(random() % 30));
    }
    std::vector<int64_t> cuts = cutChain(problem);
    ASSERT_EQ(int64_t(cuts.size()), problem.stages - 1) << "seed " << seed;
    double longest, crossing;
    bruteForce(problem, longest, crossing);
    // The bound is found within a thousandth.
    EXPECT_LE(longestStage(problem, cuts),
              longest * (1 + problem.slack) * 1.002)
        << "seed " << seed;
    EXPECT_LE(crossingOf(problem, cuts), crossing) << "seed " << seed;
  }
}

TEST(CutChain, ThousandsOfLayersAreCutAtOnce) {
  CutChainProblem problem;
  problem.stages = 64;
  for (int64_t i = 0; i < 100000; ++i) {
    problem.times.push_back(1 + double(i % 7));
    problem.crossings.push_back(i % 50 == 0 ? 1 : 3 + double(i % 11));
  }
  solve(problem);
}

} // namespace
