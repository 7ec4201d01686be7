//===- GoldenFiguresTest.cpp - Makespan, bubble and peak as published -----===//
//
// Four ranks and eight microbatches, and instances that formulas get wrong.
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

using namespace partopt::pipeline;

namespace {

struct Golden {
  const char *name;
  std::optional<int> chunks;
  double unit, unitSpan;   ///< F=B=W=1: makespan and span bubble
  double late;             ///< the same with a latency of 0.25; -1: not known
  double other, otherSpan; ///< F, B, W = 2, 3, 2
  std::vector<int> peaks;
};

constexpr StageTimes unit = {1, 1, 1}, other = {2, 3, 2};

} // namespace

static std::vector<Golden> goldens() {
  return {{"gpipe", {}, 33, 9, 34.5, 77, 21, {8, 8, 8, 8}},
          {"1f1b", {}, 33, 9, 37, 77, 21, {4, 3, 2, 1}},
          {"eager-1f1b", {}, 33, 9, 34.5, 77, 21, {7, 5, 3, 1}},
          {"zb-h1", {}, 27, 3, 30, 65, 9, {4, 4, 4, 4}},
          {"zb-h2", {}, 27, 0, 27.75, 62, 3, {7, 7, 7, 7}},
          {"interleaved", 2, 57, 9, 60.5, 133, 21, {11, 9, 7, 5}},
          {"looped-bfs", 2, 57, 9, 58.5, 133, 21, {16, 16, 16, 16}},
          {"interleaved-zb", 2, 51, 3, 55, 121, 9, {8, 8, 8, 8}},
          {"zb-v", {}, 51, 0, 54.25, 121, 6, {8, 8, 8, 8}},
          {"dualpipev", {}, 54, 6, 58.5, 128, 16, {9, 9, 9, 9}},
          {"dualpipe", {}, 26, 2, -1, 61, 5, {5, 5, 5, 5}}};
}

TEST(GoldenFigures, OfFourRanksAndEightMicrobatches) {
  for (const Golden &golden : goldens()) {
    SCOPED_TRACE(golden.name);
    ScheduleShape shape{4, 8, golden.chunks, std::nullopt, 0};
    Timing timing = timingOf(golden.name, shape, unit);
    EXPECT_EQ(timing.makespan, golden.unit);
    EXPECT_EQ(timing.spanBubble, golden.unitSpan);
    EXPECT_EQ(timing.peak, golden.peaks);
    timing = timingOf(golden.name, shape, other);
    EXPECT_EQ(timing.makespan, golden.other);
    EXPECT_EQ(timing.spanBubble, golden.otherSpan);
    EXPECT_EQ(timing.peak, golden.peaks);
    if (golden.late >= 0)
      EXPECT_EQ(timingOf(golden.name, shape, unit, 0.25).makespan, golden.late);
  }
}

TEST(GoldenFigures, OfDualPipeVWhereItsFormulaIsWrong) {
  ScheduleShape shape{4, 8, std::nullopt, std::nullopt, 0};
  EXPECT_EQ(timingOf("dualpipev", shape, {1, 2, 1}).bubble, 11);
  EXPECT_EQ(timingOf("dualpipev", shape, {2, 1, 1}).bubble, 12);
  EXPECT_EQ(timingOf("dualpipev", shape, {2, 3, 2}).bubble, 16);
}

TEST(GoldenFigures, OfTimesByStage) {
  // The last stage takes twice as long, and all others wait for it.
  ScheduleShape shape{2, 2, std::nullopt, std::nullopt, 0};
  Problem problem = problemOf("1f1b", shape);
  problem.times[1] = {2, 2, 2};
  Timing timing = simulateSchedule(problem, makeSchedule("1f1b", shape));
  // 0F0 | 1F0 1B0 1F1 1B1 | 0B1
  EXPECT_EQ(timing.makespan, 1 + 2 * 6 + 2);
  EXPECT_EQ(timing.bubble, 3);
  EXPECT_EQ(timing.spanBubble, 15 - 6);
  EXPECT_EQ(timing.steps[0][2].start, 7);
  EXPECT_EQ(timing.steps[0][2].end, 9);
}

TEST(GoldenFigures, OfOverlapThatGains) {
  // All of the shorter one of each pair is hidden behind the other.
  ScheduleShape shape{2, 8, std::nullopt, std::nullopt, 0};
  Problem problem = problemOf("dualpipev", shape);
  Schedule schedule = makeSchedule("dualpipev", shape);
  double apart = simulateSchedule(problem, schedule).makespan;
  problem.overlapGain = 1;
  Timing hidden = simulateSchedule(problem, schedule);
  // Ten pairs on rank 0, 1 of 3 units each.
  EXPECT_EQ(apart, 16 * 3 + 2);
  EXPECT_LT(hidden.makespan, apart - 8);
}

TEST(GoldenFigures, OfInference) {
  ScheduleShape shape{4, 8, 2, std::nullopt, 0};
  Timing timing = timingOf("inference", shape, {2, 0, 0}, 0.5);
  // The last rank begins after three hops; each of the two groups waits for the
  // four latencies round the ranks before its second chunk.
  EXPECT_EQ(timing.bubble, 3 * 2.5 + 2 * 4 * 0.5);
  EXPECT_EQ(timing.peak, (std::vector<int>{1, 1, 1, 1}));
}
