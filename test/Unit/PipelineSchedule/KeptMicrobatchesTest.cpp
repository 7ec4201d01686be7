//===- KeptMicrobatchesTest.cpp - What an order keeps at once -------------===//

#include "TestSchedules.h"

#include "partopt/PipelineSchedule/KeptMicrobatches.h"

using namespace partopt::pipeline;

namespace {

TEST(KeptMicrobatches, AreThePeaksOfTheProofForEveryName) {
  for (const std::string &name : scheduleNames()) {
    if (isForwardOnly(name))
      continue;
    ScheduleShape shape{4, 16, std::nullopt, std::nullopt, 0};
    Timing timing = timingOf(name, shape);
    Schedule schedule = makeSchedule(name, shape);
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
      EXPECT_EQ(keptMicrobatches(schedule.ranks[rank]).chunks,
                timing.peak[rank])
          << name << " rank " << rank;
  }
}

TEST(KeptMicrobatches, AValueForTheInputGradientIsKeptLess) {
  // Rank 0 of ZB-H1: its W runs right behind its I; rank 3 delays it by three.
  Schedule schedule =
      makeSchedule("zb-h1", {4, 8, std::nullopt, std::nullopt, 0});
  KeptMicrobatches first = keptMicrobatches(schedule.ranks[0]).stages.at(0);
  EXPECT_EQ(first.untilInputGrad, 4);
  EXPECT_EQ(first.untilWeightGrad, 4);
  KeptMicrobatches last = keptMicrobatches(schedule.ranks[3]).stages.at(3);
  EXPECT_EQ(last.untilInputGrad, 1);
  EXPECT_EQ(last.untilWeightGrad, 4);
}

TEST(KeptMicrobatches, StagesOfARankHaveTheirPeaksAtTheirTimes) {
  // Interleaved: 11 chunks at once, though its stages keep 8 and 4.
  Schedule schedule = makeSchedule("interleaved", {4, 8, 2, std::nullopt, 0});
  KeptByRank kept = keptMicrobatches(schedule.ranks[0]);
  EXPECT_EQ(kept.chunks, 11);
  EXPECT_EQ(kept.stages.at(0).untilWeightGrad, 8);
  EXPECT_EQ(kept.stages.at(4).untilWeightGrad, 4);
}

TEST(KeptMicrobatches, WhereAGradientIsMissingTheOtherEndsIt) {
  auto step = [](ActionKind kind, int microbatch) {
    return Step{{kind, 2, microbatch}, std::nullopt};
  };
  for (ActionKind gradient :
       {ActionKind::InputGrad, ActionKind::WeightGrad, ActionKind::Backward}) {
    KeptByRank kept = keptMicrobatches(
        {step(ActionKind::Forward, 0), step(ActionKind::Forward, 1),
         step(gradient, 0), step(ActionKind::Forward, 2), step(gradient, 1),
         step(gradient, 2)});
    EXPECT_EQ(kept.chunks, 2);
    EXPECT_EQ(kept.stages.at(2).untilInputGrad, 2);
    EXPECT_EQ(kept.stages.at(2).untilWeightGrad, 2);
  }
}

} // namespace
