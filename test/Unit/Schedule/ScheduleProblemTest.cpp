//===- ScheduleProblemTest.cpp - The list scheduler -----------------------===//
//
// What the order does for overlap, and that every order is proven.
//
//===----------------------------------------------------------------------===//

#include "partopt/Schedule/ScheduleProblem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace partopt;

namespace {

constexpr auto Compute = ScheduleAction::Run;
constexpr auto Start = ScheduleAction::Start;
constexpr auto Wait = ScheduleAction::Wait;

ScheduleStep compute(int64_t time, std::vector<unsigned> needs) {
  return {false, LimitedGather::None, 0, time, std::move(needs)};
}
ScheduleStep reduce(int64_t time, std::vector<unsigned> needs,
                    unsigned stream = 0) {
  return {true, LimitedGather::None, stream, time, std::move(needs)};
}
ScheduleStep gather(int64_t time, std::vector<unsigned> needs) {
  return {true, LimitedGather::Parameter, 0, time, std::move(needs)};
}
ScheduleStep gatherAgain(int64_t time, std::vector<unsigned> needs) {
  return {true, LimitedGather::Activation, 0, time, std::move(needs)};
}

std::vector<ScheduleEntry> solve(const ScheduleProblem &problem) {
  EXPECT_EQ(problem.check(), "");
  auto order = scheduleSteps(problem);
  EXPECT_EQ(verifySchedule(problem, order), "");
  return order;
}

/// Time until the last step is done, collectives of a stream one by one.
int64_t makespan(const ScheduleProblem &problem,
                 const std::vector<ScheduleEntry> &order) {
  int64_t now = 0;
  std::vector<int64_t> finish(problem.steps.size());
  std::vector<int64_t> streamFree(8);
  for (const ScheduleEntry &entry : order) {
    const ScheduleStep &step = problem.steps[entry.step];
    if (entry.action == Compute)
      now += step.nanoseconds;
    if (entry.action == Start) {
      int64_t &free = streamFree[step.stream];
      finish[entry.step] = free = std::max(free, now) + step.nanoseconds;
    }
    if (entry.action == Wait)
      now = std::max(now, finish[entry.step]);
  }
  return now;
}

TEST(ScheduleProblem, GradientsAreReducedBehindTheBackwardPass) {
  // b0, reduce, b1, reduce, update 0, update 1
  ScheduleProblem problem;
  problem.steps = {compute(100, {}), reduce(50, {0}),  compute(100, {0}),
                   reduce(50, {2}),  compute(10, {1}), compute(10, {3})};
  EXPECT_EQ(solve(problem), (std::vector<ScheduleEntry>{{Compute, 0},
                                                        {Start, 1},
                                                        {Compute, 2},
                                                        {Start, 3},
                                                        {Wait, 1},
                                                        {Compute, 4},
                                                        {Wait, 3},
                                                        {Compute, 5}}));
}

TEST(ScheduleProblem, AStepThatWaitsLetsOthersPass) {
  // Tensor parallel backward: the weight gradient runs behind the all-reduce
  // of the input gradient.
  ScheduleProblem problem;
  problem.steps = {compute(100, {}), reduce(90, {0}), compute(100, {1}),
                   compute(100, {0})};
  auto order = solve(problem);
  EXPECT_EQ(order[2], (ScheduleEntry{Compute, 3}));
  EXPECT_EQ(makespan(problem, order), 300);
  problem.lookahead = 0;
  EXPECT_EQ(makespan(problem, solve(problem)), 390);
}

TEST(ScheduleProblem, StepsBeyondTheLookaheadDoNotPass) {
  ScheduleProblem problem;
  problem.lookahead = 2;
  problem.steps = {reduce(1000, {}), compute(1, {0}), compute(1, {1}),
                   compute(1, {2}), compute(1, {})};
  auto order = solve(problem);
  EXPECT_EQ(order[1], (ScheduleEntry{Wait, 0}));
}

TEST(ScheduleProblem, OnlyTheNextGathersAreInFlight) {
  ScheduleProblem problem;
  problem.prefetch = 2;
  for (unsigned layer = 0; layer < 6; ++layer)
    problem.steps.push_back(gather(10, {}));
  for (unsigned layer = 0; layer < 6; ++layer)
    problem.steps.push_back(compute(100, {layer}));
  unsigned inFlight = 0, most = 0;
  for (const ScheduleEntry &entry : solve(problem)) {
    inFlight += entry.action == Start;
    inFlight -= entry.action == Wait;
    most = std::max(most, inFlight);
  }
  EXPECT_EQ(most, 2u);
}

TEST(ScheduleProblem, TheGatherThatIsUsedNextStartsFirst) {
  // A cast and two more, gathers of what they make, and one that is ready at
  // once but whose reader comes last: it would hold the only place.
  ScheduleProblem problem;
  problem.steps = {compute(1, {}),       gather(50, {0}),     compute(1, {}),
                   gather(50, {2}),      gather(50, {}),      compute(100, {3}),
                   compute(100, {1, 5}), compute(100, {4, 6})};
  EXPECT_EQ(solve(problem), (std::vector<ScheduleEntry>{{Compute, 0},
                                                        {Compute, 2},
                                                        {Start, 3},
                                                        {Wait, 3},
                                                        {Start, 1},
                                                        {Compute, 5},
                                                        {Wait, 1},
                                                        {Start, 4},
                                                        {Compute, 6},
                                                        {Wait, 4},
                                                        {Compute, 7}}));
}

TEST(ScheduleProblem, AStepMayNeedMoreGathersThanTheLimit) {
  ScheduleProblem problem;
  problem.prefetch = 1;
  problem.steps = {gather(10, {}), gather(10, {}), gather(10, {}),
                   compute(1, {0, 1, 2})};
  solve(problem);
}

TEST(ScheduleProblem, AnUpdatePassesTheRestOfTheBackwardPass) {
  // b0, reduce, b1 to b3, update: after twice its time the reduction is waited
  // for, and its gradient is free after the update.
  ScheduleProblem problem;
  problem.steps = {compute(100, {}),  reduce(60, {0}),   compute(100, {0}),
                   compute(100, {2}), compute(100, {3}), compute(10, {1})};
  EXPECT_EQ(solve(problem).back(), (ScheduleEntry{Compute, 5}));
  problem.steps[5].eager = true;
  EXPECT_EQ(solve(problem), (std::vector<ScheduleEntry>{{Compute, 0},
                                                        {Start, 1},
                                                        {Compute, 2},
                                                        {Compute, 3},
                                                        {Wait, 1},
                                                        {Compute, 5},
                                                        {Compute, 4}}));
  EXPECT_EQ(makespan(problem, solve(problem)), 410);
}

TEST(ScheduleProblem, PacedReductionsHoldOneUnit) {
  // Links slower than the backward pass, which waits for them one by one; the
  // whole is as fast as the links.
  ScheduleProblem problem;
  for (unsigned layer = 0; layer < 6; ++layer) {
    problem.steps.push_back(compute(10, {}));
    problem.steps.push_back(reduce(100, {2 * layer}));
  }
  EXPECT_EQ(makespan(problem, solve(problem)), 610);
  auto inFlight = [&] {
    unsigned now = 0, most = 0;
    for (const ScheduleEntry &entry : solve(problem)) {
      now += entry.action == Start;
      now -= entry.action == Wait;
      most = std::max(most, now);
    }
    return most;
  };
  EXPECT_EQ(inFlight(), 6u);
  for (ScheduleStep &step : problem.steps)
    step.paced = step.isCollective;
  EXPECT_EQ(inFlight(), 1u);
  EXPECT_EQ(makespan(problem, solve(problem)), 610);
}

TEST(ScheduleProblem, StreamsRunBesideEachOther) {
  ScheduleProblem problem;
  problem.steps = {reduce(100, {}, 0), reduce(100, {}, 1), compute(1, {0, 1})};
  EXPECT_EQ(makespan(problem, solve(problem)), 101);
}

TEST(ScheduleProblem, ActivationsAreGatheredAgainInTheOrderOfTheirUse) {
  // Two layers forward, then backward: the first layer's shard is there first
  // and its gather is needed last.
  ScheduleProblem problem;
  problem.steps = {compute(10, {}),     compute(10, {0}),
                   compute(10, {1}),    gatherAgain(5, {1}),
                   compute(10, {2, 3}), gatherAgain(5, {0}),
                   compute(10, {4, 5})};
  std::vector<ScheduleEntry> expected = {
      {Compute, 0}, {Compute, 1}, {Start, 3}, {Compute, 2}, {Wait, 3},
      {Start, 5},   {Compute, 4}, {Wait, 5},  {Compute, 6}};
  EXPECT_EQ(solve(problem), expected);
}

TEST(ScheduleProblem, RandomProgramsAreProvenAndRepeatable) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    ScheduleProblem problem;
    problem.prefetch = random() % 4;
    problem.lookahead = random() % 20;
    unsigned n = 1 + seed;
    for (unsigned i = 0; i < n; ++i) {
      ScheduleStep step = compute(random() % 100, {});
      step.isCollective = random() % 3 == 0;
      step.limited =
          step.isCollective ? LimitedGather(random() % 3) : LimitedGather::None;
      step.stream = random() % 3;
      step.eager = !step.isCollective && random() % 4 == 0;
      step.paced = step.isCollective && random() % 4 == 0;
      for (unsigned k = random() % 3; i > 0 && k > 0; --k)
        step.needs.push_back(random() % i);
      std::sort(step.needs.begin(), step.needs.end());
      step.needs.erase(std::unique(step.needs.begin(), step.needs.end()),
                       step.needs.end());
      problem.steps.push_back(step);
    }
    EXPECT_EQ(solve(problem), scheduleSteps(problem)) << "seed " << seed;
  }
}

TEST(ScheduleProblem, CheckRefusesAStepThatNeedsALaterOne) {
  ScheduleProblem problem;
  problem.steps = {compute(1, {1}), compute(1, {})};
  EXPECT_EQ(problem.check(), "step 0 needs step 1, which does not come before");
}

TEST(ScheduleProblem, VerifyRefusesWrongOrders) {
  ScheduleProblem problem;
  problem.steps = {compute(1, {}), reduce(1, {0}), compute(1, {1})};
  auto refused = [&](std::vector<ScheduleEntry> order) {
    return verifySchedule(problem, order);
  };
  EXPECT_EQ(refused({{Compute, 0}, {Start, 1}, {Wait, 1}, {Compute, 2}}), "");
  EXPECT_EQ(refused({{Compute, 0}, {Start, 1}, {Compute, 2}, {Wait, 1}}),
            "step 2 comes before step 1, which it needs");
  EXPECT_EQ(refused({{Compute, 0}, {Wait, 1}}),
            "step 1 is waited for before it starts or twice");
  EXPECT_EQ(refused({{Compute, 0}, {Start, 1}}),
            "step 1 is missing or never waited for");
  EXPECT_EQ(refused({{Compute, 0}, {Compute, 0}}), "step 0 comes twice");
  EXPECT_EQ(refused({{Start, 0}}), "step 0 is the wrong kind for its action");
  EXPECT_EQ(refused({{Compute, 7}}), "there is no step 7");
}

} // namespace
