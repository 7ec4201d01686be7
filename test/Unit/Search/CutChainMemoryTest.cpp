//===- CutChainMemoryTest.cpp - Cuts whose stages have room ---------------===//

#include "partopt/Search/CutChain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace partopt;

namespace {

/// Written apart from the search: what a stage holds and keeps.
int64_t memoryOf(const CutChainProblem &problem, int64_t stage, int64_t begin,
                 int64_t end) {
  int64_t bytes = 0;
  for (const CutChainProblem::Held &held : problem.held)
    if (std::any_of(held.elements.begin(), held.elements.end(),
                    [&](int64_t at) { return at >= begin && at < end; }))
      bytes += held.bytes;
  for (int64_t i = begin; i < end && !problem.left.empty(); ++i)
    bytes += problem.left[i] * (problem.kept.empty() ? 1 : problem.kept[stage]);
  return bytes;
}

int64_t fullest(const CutChainProblem &problem,
                const std::vector<int64_t> &cuts) {
  int64_t most = 0, begin = 0;
  for (size_t k = 0; k <= cuts.size(); ++k) {
    int64_t end = k < cuts.size() ? cuts[k] : int64_t(problem.times.size());
    most = std::max(most, memoryOf(problem, int64_t(k), begin, end));
    begin = end;
  }
  return most;
}

double crossingOf(const CutChainProblem &problem,
                  const std::vector<int64_t> &cuts) {
  double sum = 0;
  for (int64_t cut : cuts)
    sum += problem.crossings[cut];
  return sum;
}

/// All ways to cut.
std::vector<std::vector<int64_t>> allCuts(int64_t n, int64_t stages) {
  std::vector<std::vector<int64_t>> all;
  std::vector<bool> isCut(n - 1);
  std::fill(isCut.end() - (stages - 1), isCut.end(), true);
  do {
    all.emplace_back();
    for (int64_t i = 0; i + 1 < n; ++i)
      if (isCut[i])
        all.back().push_back(i + 1);
  } while (std::next_permutation(isCut.begin(), isCut.end()));
  return all;
}

CutChainProblem randomProblem(unsigned seed) {
  std::mt19937 random(seed);
  CutChainProblem problem;
  int64_t n = 2 + random() % 10;
  problem.stages = 2 + random() % std::min<int64_t>(n - 1, 4);
  for (int64_t i = 0; i < n; ++i) {
    problem.times.push_back(double(random() % 100));
    problem.crossings.push_back(double(random() % 30));
    problem.left.push_back(random() % 20);
  }
  for (int64_t k = 0; k < problem.stages; ++k)
    problem.kept.push_back(problem.stages - k);
  for (int64_t i = 0; i < n; ++i) {
    std::set<int64_t> users{int64_t(random() % n)};
    if (random() % 3 == 0) // tied
      users.insert(random() % n);
    problem.held.push_back(
        {int64_t(random() % 50), {users.begin(), users.end()}});
  }
  return problem;
}

TEST(CutChainMemory, IsWithinItsSlackOfTheBestThatFits) {
  unsigned bound = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    CutChainProblem problem = randomProblem(seed);
    auto all = allCuts(int64_t(problem.times.size()), problem.stages);
    int64_t least = INT64_MAX, most = 0;
    for (const auto &cuts : all) {
      least = std::min(least, fullest(problem, cuts));
      most = std::max(most, fullest(problem, cuts));
    }
    ASSERT_EQ(leastMemory(problem), least) << "seed " << seed;
    // From too little to ample.
    for (double part : {-0.1, 0.0, 0.2, 0.6}) {
      problem.memory = least + int64_t(part * double(most - least));
      int64_t allowed = std::max(least, *problem.memory);
      double longest = 1e300, crossing = 1e300;
      for (const auto &cuts : all)
        if (fullest(problem, cuts) <= allowed)
          longest = std::min(longest, longestStage(problem, cuts));
      for (const auto &cuts : all)
        if (fullest(problem, cuts) <= allowed &&
            longestStage(problem, cuts) <= longest * (1 + problem.slack))
          crossing = std::min(crossing, crossingOf(problem, cuts));
      ASSERT_EQ(problem.check(), "");
      std::vector<int64_t> cuts = cutChain(problem);
      EXPECT_EQ(verifyCutChain(problem, cuts), "") << "seed " << seed;
      EXPECT_LE(fullest(problem, cuts), allowed) << "seed " << seed;
      EXPECT_LE(longestStage(problem, cuts),
                longest * (1 + problem.slack) * 1.002)
          << "seed " << seed;
      EXPECT_LE(crossingOf(problem, cuts), crossing) << "seed " << seed;
      std::vector<int64_t> needs = stageMemory(problem, cuts);
      EXPECT_EQ(*std::max_element(needs.begin(), needs.end()),
                fullest(problem, cuts));
      CutChainProblem free = problem;
      free.memory.reset();
      bound += cutChain(free) != cuts;
    }
  }
  EXPECT_GT(bound, 200u); // memory decided
}

TEST(CutChainMemory, AStageThatKeepsMoreMicrobatchesIsShorter) {
  // Equal elements; the first of two stages keeps three times as much.
  CutChainProblem problem{std::vector<double>(8, 1.0),
                          std::vector<double>(8, 0.0), 2};
  problem.left.assign(8, 10);
  problem.kept = {3, 1};
  EXPECT_EQ(cutChain(problem), (std::vector<int64_t>{4}));
  EXPECT_EQ(stageMemory(problem, {4}), (std::vector<int64_t>{120, 40}));
  problem.memory = 100;
  EXPECT_EQ(cutChain(problem), (std::vector<int64_t>{3}));
  EXPECT_EQ(leastMemory(problem), 60);
}

TEST(CutChainMemory, WhatSeveralStagesUseIsHeldByEach) {
  CutChainProblem problem{{1, 1, 1, 1}, {0, 0, 0, 0}, 2};
  problem.held = {{100, {0, 3}}, {10, {1}}, {10, {2}}};
  EXPECT_EQ(stageMemory(problem, {2}), (std::vector<int64_t>{110, 110}));
  EXPECT_EQ(stageMemory(problem, {1}), (std::vector<int64_t>{100, 120}));
  EXPECT_EQ(leastMemory(problem), 110);
}

TEST(CutChainMemory, RefusesWhatIsNoProblem) {
  CutChainProblem problem{{1, 1}, {0, 0}, 2};
  problem.left = {1};
  EXPECT_EQ(problem.check(),
            "2 elements have 1 numbers of bytes that they leave");
  problem.left = {1, -1};
  EXPECT_EQ(problem.check(), "a number of bytes or microbatches is negative");
  problem.left.clear();
  problem.kept = {1};
  EXPECT_EQ(problem.check(), "2 stages have 1 numbers of microbatches to keep");
  problem.kept.clear();
  problem.held = {{5, {1, 2}}};
  EXPECT_EQ(problem.check(), "what is held is of element 2, behind 1 of 2");
}

TEST(CutChainMemory, VerifierRefusesAFullStage) {
  CutChainProblem problem{{1, 1, 1, 1}, {0, 0, 0, 0}, 2};
  problem.left = {10, 10, 10, 10};
  problem.memory = 20;
  EXPECT_EQ(verifyCutChain(problem, {2}), "");
  EXPECT_EQ(verifyCutChain(problem, {3}),
            "the fullest stage needs 30 bytes, more than the 20 that are "
            "there");
}

TEST(CutChainMemory, ThousandsOfLayersAreCutAtOnce) {
  CutChainProblem problem;
  problem.stages = 64;
  constexpr int64_t n = 50000;
  for (int64_t i = 0; i < n; ++i) {
    problem.times.push_back(1 + double(i % 7));
    problem.crossings.push_back(double(i % 11));
    problem.left.push_back(i % 5);
    problem.held.push_back({i % 13, {i}});
  }
  problem.held.push_back({100, {0, n - 1}});
  problem.memory = leastMemory(problem) * 101 / 100;
  EXPECT_EQ(verifyCutChain(problem, cutChain(problem)), "");
}

} // namespace
