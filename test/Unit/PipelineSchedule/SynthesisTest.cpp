//===- SynthesisTest.cpp - Orders made for the stages' own times ----------===//
//
// Against every order there is on tiny instances, and against the named
// schedules on random ones.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/Synthesis.h"

#include "partopt/PipelineSchedule/LowerBound.h"

#include "TestSchedules.h"

#include <functional>
#include <random>

using namespace partopt::pipeline;

namespace {

/// All orders of a rank's actions that keep what one stage and microbatch needs
/// on the rank, microbatches of a list in turn, and the memory cap.
class AllOrders {
public:
  AllOrders(const Problem &problem, std::vector<int> stages)
      : problem(problem), stages(std::move(stages)), done(this->stages.size()) {
    extend();
  }
  std::vector<std::vector<Step>> orders;

private:
  struct Done {
    int count[3] = {};
  };

  void extend() {
    bool complete = true;
    for (size_t chunk = 0; chunk < stages.size(); ++chunk)
      for (int kind = 0; kind < 3; ++kind) {
        int &count = done[chunk].count[kind];
        if (count == problem.microbatches)
          continue;
        complete = false;
        if ((kind > 0 && count == done[chunk].count[kind - 1]) ||
            (kind == 0 && kept == problem.memoryCap.value_or(1 << 20)))
          continue;
        order.push_back({{static_cast<ActionKind>(kind), stages[chunk], count},
                         std::nullopt});
        int change = kind == 0 ? 1 : kind == 2 ? -1 : 0;
        ++count;
        kept += change;
        extend();
        kept -= change;
        --count;
        order.pop_back();
      }
    if (complete)
      orders.push_back(order);
  }

  const Problem &problem;
  std::vector<int> stages;
  std::vector<Done> done;
  std::vector<Step> order;
  int kept = 0;
};

/// The shortest makespan of all orders of all ranks.
double optimum(const Problem &problem) {
  std::vector<std::vector<std::vector<Step>>> choices;
  for (const std::vector<int> &stages : problem.placement.stagesOfRanks())
    choices.push_back(AllOrders(problem, stages).orders);
  double best = 1e300;
  Schedule schedule;
  schedule.ranks.resize(choices.size());
  std::function<void(size_t)> choose = [&](size_t rank) {
    if (rank == choices.size()) {
      if (verifySchedule(problem, schedule).empty())
        best = std::min(best, simulateSchedule(problem, schedule).makespan);
      return;
    }
    for (const std::vector<Step> &order : choices[rank]) {
      schedule.ranks[rank] = order;
      choose(rank + 1);
    }
  };
  choose(0);
  return best;
}

struct Random {
  std::mt19937 bits;
  explicit Random(unsigned seed) : bits(seed) {}
  int below(int limit) { return static_cast<int>(bits() % limit); }
  /// A quarter, two, … up to four.
  double time() { return 0.25 * (1 + below(16)); }
};

/// The shortest named schedule for one of the problems, that fits the cap.
double bestNamed(const std::vector<Problem> &problems, int chunks) {
  double best = 1e300;
  for (const Problem &problem : problems)
    for (const std::string &name : scheduleNames()) {
      ScheduleShape shape{problem.ranks(), problem.microbatches, chunks,
                          std::nullopt, 0};
      if (isForwardOnly(name) || !checkShape(name, shape).empty() ||
          placementOf(name, shape).stagesOfRanks() !=
              problem.placement.stagesOfRanks())
        continue;
      Schedule schedule = makeSchedule(name, shape);
      if (verifySchedule(problem, schedule).empty())
        best = std::min(best, simulateSchedule(problem, schedule).makespan);
    }
  return best;
}

std::vector<Problem> randomProblems(Random &random, int ranks, int microbatches,
                                    int chunks, int cap) {
  StageTimes times = {random.time(), random.time(), random.time()};
  double latency = 0.25 * random.below(5);
  std::vector<Problem> problems =
      placementsOf({ranks, microbatches, chunks, std::nullopt, 0}, cap);
  for (Problem &problem : problems) {
    problem.times.assign(problem.stages(), times);
    problem.latency = latency;
  }
  return problems;
}

} // namespace

TEST(Synthesis, FindsTheOptimumOfTinyInstances) {
  Random random(7);
  for (int trial = 0; trial < 32; ++trial) {
    bool isLonger = trial % 4 == 3;
    int ranks = isLonger ? 3 : 2, microbatches = isLonger ? 2 : 1 + trial % 4;
    Problem problem =
        randomProblems(random, ranks, microbatches, 1, 1 + random.below(3))[0];
    double best = optimum(problem);
    Synthesis result;
    ASSERT_EQ(synthesize({problem}, result), "");
    EXPECT_EQ(result.makespan, best) << trial;
    EXPECT_LE(result.lowerBound, best) << trial;
  }
}

TEST(Synthesis, FindsTheOptimumDownAndUp) {
  Random random(3);
  for (int trial = 0; trial < 8; ++trial) {
    Problem problem = randomProblems(random, 2, 1, 2, 2)[1];
    double best = optimum(problem);
    Synthesis result;
    ASSERT_EQ(synthesize({problem}, result), "");
    EXPECT_EQ(result.makespan, best) << trial;
    EXPECT_LE(result.lowerBound, best) << trial;
  }
}

TEST(Synthesis, IsNeverWorseThanNamedSchedules) {
  Random random(11);
  int uneven = 0, better = 0;
  std::vector<double> distances;
  for (int trial = 0; trial < 100; ++trial) {
    int ranks = 2 + random.below(4), chunks = 1 + random.below(2);
    int microbatches = ranks * (1 + random.below(4));
    int cap = chunks * (1 + random.below(2 * ranks));
    std::vector<Problem> problems =
        randomProblems(random, ranks, microbatches, chunks, cap);
    double named = bestNamed(problems, chunks);
    Synthesis result;
    ASSERT_EQ(synthesize(problems, result), "");
    EXPECT_EQ(verifySchedule(result.problem, result.schedule), "");
    EXPECT_EQ(simulateSchedule(result.problem, result.schedule).makespan,
              result.makespan);
    EXPECT_LE(result.makespan, named) << trial;
    EXPECT_LE(result.lowerBound, result.makespan) << trial;
    distances.push_back(result.makespan / result.lowerBound - 1);
    StageTimes times = result.problem.times[0];
    if (times.forward == times.inputGrad ||
        times.inputGrad == times.weightGrad || result.problem.latency == 0 ||
        named == 1e300)
      continue;
    ++uneven;
    better += result.makespan < named;
  }
  EXPECT_GE(10 * better, 3 * uneven);
  std::sort(distances.begin(), distances.end());
  EXPECT_LE(distances[distances.size() / 2], 0.03);
}

TEST(Synthesis, RepeatsItself) {
  Random random(5);
  std::vector<Problem> problems = randomProblems(random, 4, 8, 2, 8);
  Synthesis first, second;
  ASSERT_EQ(synthesize(problems, first), "");
  ASSERT_EQ(synthesize(problems, second), "");
  EXPECT_EQ(first.schedule.ranks, second.schedule.ranks);
}

TEST(Synthesis, SaysWhichCapWorks) {
  for (int chunks : {1, 2, 3}) {
    std::vector<Problem> problems =
        placementsOf({4, 8, chunks, std::nullopt, 0}, chunks - 1);
    for (Problem &problem : problems) {
      problem.times.resize(problem.stages());
    }
    Synthesis result;
    EXPECT_EQ(synthesize(problems, result),
              "no schedule fits a memory cap of " + std::to_string(chunks - 1) +
                  (chunks == 2 ? " chunk" : " chunks") +
                  "; the smallest cap that works is " + std::to_string(chunks));
    for (Problem &problem : problems)
      problem.memoryCap = chunks;
    ASSERT_EQ(synthesize(problems, result), "");
    EXPECT_LE(largestPeak(simulateSchedule(result.problem, result.schedule)),
              chunks);
  }
}

TEST(Synthesis, UsesTheStagesOwnTimes) {
  Problem problem = placementsOf({4, 12, 1, std::nullopt, 0}, 6)[0];
  problem.times = {{4, 4, 3}, {2, 3, 1}, {1, 2, 2}, {1, 1, 1}};
  problem.latency = 0.5;
  double named = bestNamed({problem}, 1);
  Synthesis result;
  ASSERT_EQ(synthesize({problem}, result), "");
  EXPECT_LT(result.makespan, named);
  EXPECT_LE(result.makespan, 1.03 * result.lowerBound);
}
