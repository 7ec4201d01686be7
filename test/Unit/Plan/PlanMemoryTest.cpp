//===- PlanMemoryTest.cpp - The arena's packing ---------------------------===//
//
// The solver against its lower bound and an exhaustive search, and the proof
// against wrong answers.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace partopt;

namespace {

/// Random lifetimes like those of a training step: short ones, and a few that
/// reach far.
MemoryProblem randomProblem(unsigned seed, size_t count, int64_t maxUnits) {
  std::mt19937 random(seed);
  MemoryProblem problem;
  for (size_t i = 0; i < count; ++i) {
    int64_t first = random() % count;
    int64_t length = random() % 4 == 0 ? random() % count : random() % 5;
    int64_t bytes = 64 * (random() % (maxUnits + 1));
    problem.intervals.push_back({bytes, first, first + length});
  }
  return problem;
}

/// The smallest arena over every order of lowest-gap placement, which always
/// contains an optimum.
int64_t exhaustive(const MemoryProblem &problem) {
  size_t n = problem.intervals.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    std::vector<std::pair<int64_t, size_t>> placed;
    int64_t top = 0;
    for (size_t i : order) {
      const MemoryInterval &a = problem.intervals[i];
      int64_t offset = 0;
      std::sort(placed.begin(), placed.end());
      for (auto [at, j] : placed) {
        const MemoryInterval &b = problem.intervals[j];
        if (b.last < a.first || a.last < b.first)
          continue;
        if (at - offset >= a.bytes)
          break;
        offset = std::max(offset, at + b.bytes);
      }
      placed.push_back({offset, i});
      top = std::max(top, offset + a.bytes);
    }
    best = std::min(best, top);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(PlanMemory, EmptyProblemNeedsNoArena) {
  MemoryProblem problem;
  MemorySolution solution = planMemory(problem);
  EXPECT_EQ(solution.bytes, 0);
  EXPECT_EQ(verifyMemory(problem, solution), "");
}

TEST(PlanMemory, DisjointLifetimesShareAnOffset) {
  MemoryProblem problem{{{100, 0, 1}, {100, 2, 3}}};
  MemorySolution solution = planMemory(problem);
  EXPECT_EQ(solution.bytes, 128);
  EXPECT_EQ(solution.offsets, (std::vector<int64_t>{0, 0}));
}

TEST(PlanMemory, LifetimesAreInclusive) {
  MemoryProblem problem{{{64, 0, 1}, {64, 1, 2}}};
  EXPECT_EQ(planMemory(problem).bytes, 128);
}

TEST(PlanMemory, EmptyBuffersTakeNoSpace) {
  MemoryProblem problem{{{0, 0, 9}, {64, 0, 9}, {0, 3, 3}}};
  MemorySolution solution = planMemory(problem);
  EXPECT_EQ(solution.bytes, 64);
  EXPECT_EQ(verifyMemory(problem, solution), "");
}

TEST(PlanMemory, AnswersAreProvenAndRepeatable) {
  double worst = 1;
  for (unsigned seed = 0; seed < 200; ++seed) {
    MemoryProblem problem = randomProblem(seed, 1 + seed, 32);
    ASSERT_EQ(problem.check(), "");
    MemorySolution solution = planMemory(problem);
    ASSERT_EQ(verifyMemory(problem, solution), "") << "seed " << seed;
    EXPECT_EQ(planMemory(problem).offsets, solution.offsets);
    ASSERT_GE(solution.bytes, problem.lowerBound());
    if (problem.lowerBound() > 0)
      worst = std::max(worst, double(solution.bytes) / problem.lowerBound());
  }
  RecordProperty("worst_ratio_percent", int(worst * 100));
  EXPECT_LT(worst, 1.3);
}

TEST(PlanMemory, SmallProblemsAreNearTheOptimum) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    MemoryProblem problem = randomProblem(1000 + seed, 6, 5);
    EXPECT_LE(planMemory(problem).bytes, exhaustive(problem) * 5 / 4)
        << "seed " << seed;
  }
}

TEST(PlanMemory, LargeProblemsStayNearTheBound) {
  MemoryProblem problem = randomProblem(7, 100000, 64);
  MemorySolution solution = planMemory(problem);
  EXPECT_EQ(verifyMemory(problem, solution), "");
  EXPECT_LT(solution.bytes, problem.lowerBound() * 13 / 10);
}

TEST(PlanMemory, CheckNamesTheMalformedInterval) {
  MemoryProblem backwards{{{64, 0, 1}, {64, 3, 2}}};
  EXPECT_EQ(backwards.check(), "malformed interval 1 (64 bytes, live [3, 2])");
  MemoryProblem negative{{{-1, 0, 1}}};
  EXPECT_NE(negative.check(), "");
  MemoryProblem unaligned{{{64, 0, 1}}, 0};
  EXPECT_EQ(unaligned.check(), "alignment must be positive");
}

TEST(PlanMemory, VerifyRefusesWrongAnswers) {
  MemoryProblem problem{{{64, 0, 2}, {64, 2, 3}, {64, 3, 4}}};
  EXPECT_EQ(verifyMemory(problem, {{0, 64, 0}, 128}), "");
  EXPECT_EQ(verifyMemory(problem, {{0, 64}, 128}), "2 offsets for 3 intervals");
  EXPECT_NE(verifyMemory(problem, {{0, 32, 0}, 128}), ""); // misaligned
  EXPECT_NE(verifyMemory(problem, {{-64, 64, 0}, 128}), "");
  EXPECT_NE(verifyMemory(problem, {{0, 64, 0}, 64}), ""); // too small
  EXPECT_EQ(verifyMemory(problem, {{0, 64, 64}, 128}),
            "intervals 1 (64 bytes, live [2, 3]) and 2 (64 bytes, live [3, 4]) "
            "overlap at offset 64");
  MemoryProblem nested{{{256, 0, 9}, {64, 1, 2}}};
  EXPECT_NE(verifyMemory(nested, {{0, 128}, 256}), "");
}

} // namespace
