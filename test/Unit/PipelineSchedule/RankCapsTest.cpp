//===- RankCapsTest.cpp - Ranks with room for different numbers -----------===//

#include "TestSchedules.h"

#include "partopt/PipelineSchedule/LowerBound.h"
#include "partopt/PipelineSchedule/Synthesis.h"

#include <random>

using namespace partopt::pipeline;

namespace {

Problem loopOf(int ranks, int microbatches, std::vector<int> caps) {
  Problem problem;
  problem.placement = Placement::loop(ranks, 1);
  problem.microbatches = microbatches;
  problem.times.assign(size_t(ranks), {});
  problem.rankCaps = std::move(caps);
  return problem;
}

TEST(RankCaps, TheProofHoldsEachRankToItsOwn) {
  Schedule order = makeSchedule("1f1b", {4, 8, std::nullopt, std::nullopt, 0});
  EXPECT_EQ(verifySchedule(loopOf(4, 8, {4, 3, 2, 1}), order), "");
  EXPECT_EQ(verifySchedule(loopOf(4, 8, {4, 2, 2, 1}), order),
            "rank 1 keeps 3 chunks at its peak, and the memory cap is 2; the "
            "smallest cap that this order fits is 3");
}

TEST(RankCaps, AreOnePerRank) {
  EXPECT_EQ(loopOf(4, 8, {4, 3}).check(),
            "there are memory caps of 2 ranks, and the pipeline has 4");
  EXPECT_EQ(loopOf(2, 8, {4, 0}).check(),
            "the smallest memory cap is 1 chunk, not 0");
}

TEST(RankCaps, TheTighterOfBothCounts) {
  Problem problem = loopOf(2, 8, {4, 1});
  problem.memoryCap = 2;
  EXPECT_EQ(problem.capOf(0), 2);
  EXPECT_EQ(problem.capOf(1), 1);
}

TEST(RankCaps, SynthesisKeepsThem) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    int ranks = 2 + int(random() % 3);
    std::vector<int> caps;
    for (int rank = 0; rank < ranks; ++rank)
      caps.push_back(1 + int(random() % 5));
    Problem problem = loopOf(ranks, 6, caps);
    for (StageTimes &times : problem.times)
      times = {1 + double(random() % 4), 1 + double(random() % 4),
               1 + double(random() % 4)};
    Synthesis made;
    ASSERT_EQ(synthesize({problem}, made), "") << "seed " << seed;
    EXPECT_EQ(verifySchedule(problem, made.schedule), "") << "seed " << seed;
    EXPECT_GE(made.makespan, made.lowerBound - 1e-9) << "seed " << seed;
    // More room on every rank cannot be needed.
    Problem loose = problem;
    loose.rankCaps.clear();
    EXPECT_GE(makespanBound(problem), makespanBound(loose) - 1e-9);
  }
}

TEST(RankCaps, ASmallOneIsRefusedWithTheSmallest) {
  Problem problem;
  problem.placement = Placement::vee(2);
  problem.microbatches = 4;
  problem.times.assign(4, {});
  problem.rankCaps = {4, 1};
  Synthesis made;
  EXPECT_EQ(synthesize({problem}, made),
            "no schedule fits a memory cap of 1 chunk; the smallest cap that "
            "works is 2");
}

} // namespace
