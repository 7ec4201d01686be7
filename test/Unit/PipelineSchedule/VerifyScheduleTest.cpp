//===- VerifyScheduleTest.cpp - Orders that must be refused ---------------===//

#include "TestSchedules.h"

#include <random>

using namespace partopt::pipeline;

namespace {

Step step(ActionKind kind, int stage, int microbatch) {
  return {{kind, stage, microbatch}, std::nullopt};
}

constexpr auto F = ActionKind::Forward;
constexpr auto I = ActionKind::InputGrad;
constexpr auto W = ActionKind::WeightGrad;
constexpr auto B = ActionKind::Backward;

/// Two ranks and two microbatches of 1F1B: 0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 1B1.
struct VerifySchedule : testing::Test {
  ScheduleShape shape{2, 2, std::nullopt, std::nullopt, 0};
  Problem problem = problemOf("1f1b", shape);
  Schedule schedule = makeSchedule("1f1b", shape);
  std::string fault() const { return verifySchedule(problem, schedule); }
};

} // namespace

TEST_F(VerifySchedule, RefusesASegmentTwice) {
  schedule.ranks[0].push_back(step(F, 0, 1));
  EXPECT_EQ(fault(), "rank 0, step 4, 0F1: its forward is in an order already");
  schedule.ranks[0].back() = step(W, 0, 1);
  EXPECT_EQ(fault(),
            "rank 0, step 4, 0W1: its weight gradient is in an order already");
}

TEST_F(VerifySchedule, RefusesASegmentThatIsMissing) {
  schedule.ranks[1].pop_back();
  EXPECT_EQ(fault(),
            "no order has 1I1 or a B in its place; it belongs on rank 1");
  schedule.ranks[1].push_back(step(I, 1, 1));
  EXPECT_EQ(fault(),
            "no order has 1W1 or a B in its place; it belongs on rank 1");
  schedule.ranks[1].push_back(step(W, 1, 1));
  EXPECT_EQ(fault(), "");
}

TEST_F(VerifySchedule, RefusesTheWrongRankStageOrMicrobatch) {
  std::swap(schedule.ranks[0], schedule.ranks[1]);
  EXPECT_EQ(fault(), "rank 0, step 0, 1F0: the segment belongs on rank 1");
  std::swap(schedule.ranks[0], schedule.ranks[1]);
  schedule.ranks[1][0] = step(F, 2, 0);
  EXPECT_EQ(fault(), "rank 1, step 0, 2F0: there are stages 0 to 1");
  schedule.ranks[1][0] = step(F, 1, 2);
  EXPECT_EQ(fault(), "rank 1, step 0, 1F2: there are microbatches 0 to 1");
  schedule.ranks.pop_back();
  EXPECT_EQ(fault(), "there are orders of 1 ranks, and the pipeline has 2");
}

TEST_F(VerifySchedule, RefusesAnInputThatComesLater) {
  std::swap(schedule.ranks[1][0], schedule.ranks[1][1]);
  EXPECT_EQ(fault(), "the orders wait in a cycle: rank 1, step 0, 1B0: waits "
                     "for 1F0, which comes later on the same rank");
}

TEST_F(VerifySchedule, RefusesRanksThatWaitForEachOther) {
  // Rank 0 wants the first gradient before it sends the second forward, which
  // rank 1 wants before it makes that gradient.
  std::swap(schedule.ranks[0][1], schedule.ranks[0][2]);
  std::swap(schedule.ranks[1][1], schedule.ranks[1][2]);
  EXPECT_EQ(fault(),
            "the orders wait in a cycle: rank 0, step 1, 0B0: waits for 1I0 on "
            "rank 1; rank 1, step 1, 1F1: waits for 0F1 on rank 0");
}

TEST_F(VerifySchedule, RefusesPairsThatCannotOverlap) {
  schedule.ranks[1] = {
      {{F, 1, 0}, Action{B, 1, 0}}, step(F, 1, 1), step(B, 1, 1)};
  EXPECT_EQ(fault(), "rank 1, step 0, (1F0;1B0): one waits for the other and "
                     "cannot overlap with it");
  schedule.ranks[1] = {
      {{F, 1, 0}, Action{F, 1, 1}}, step(B, 1, 0), step(B, 1, 1)};
  EXPECT_EQ(fault(), "rank 1, step 0, (1F0;1F1): a forward and a backward "
                     "overlap, not two of a kind");
  schedule.ranks[1] = {
      step(F, 1, 0), {{F, 1, 1}, Action{B, 1, 0}}, step(B, 1, 1)};
  EXPECT_EQ(fault(), "");
}

TEST_F(VerifySchedule, RefusesMoreThanMemoryHolds) {
  problem.memoryCap = 1;
  EXPECT_EQ(fault(), "rank 0 keeps 2 chunks at its peak, and the memory cap is "
                     "1; the smallest cap that this order fits is 2");
  problem.memoryCap = 2;
  EXPECT_EQ(fault(), "");
}

TEST_F(VerifySchedule, RefusesAProblemThatIsNone) {
  problem.latency = -1;
  EXPECT_EQ(fault(), "the latency is finite and not negative");
  problem.latency = 0;
  problem.times.pop_back();
  EXPECT_EQ(fault(), "there are times of 1 stages, and 2 stages");
  problem = problemOf("1f1b", shape);
  problem.memoryCap = 0;
  EXPECT_EQ(fault(), "the smallest memory cap is 1 chunk, not 0");
  problem.memoryCap.reset();
  problem.forwardOnly = true;
  EXPECT_EQ(fault(), "rank 0, step 2, 0B0: inference has forwards only");
}

/// Every schedule with one step dropped, doubled, renamed or moved to another
/// rank is refused; with one step moved within its rank it is refused, or it is
/// an order of the same segments that runs to its end.
TEST(VerifySchedules, RefusesMutations) {
  std::mt19937 random(1);
  int moved = 0, refusedMoves = 0;
  for (const std::string &name : scheduleNames())
    for (int trial = 0; trial < 150; ++trial) {
      ScheduleShape shape{4, 8, std::nullopt, std::nullopt, 0};
      Problem problem = problemOf(name, shape);
      Schedule schedule = makeSchedule(name, shape);
      size_t rank = random() % 4;
      std::vector<Step> &order = schedule.ranks[rank];
      size_t at = random() % order.size();
      Step old = order[at];
      bool mustRefuse = true;
      switch (trial % 5) {
      case 0:
        order.erase(order.begin() + at);
        break;
      case 1:
        order.insert(order.begin() + random() % order.size(), old);
        break;
      case 2:
        order[at].action.microbatch = (old.action.microbatch + 1) % 8;
        break;
      case 3:
        order.erase(order.begin() + at);
        schedule.ranks[(rank + 1) % 4].push_back(old);
        break;
      default:
        order.erase(order.begin() + at);
        order.insert(order.begin() + random() % (order.size() + 1), old);
        mustRefuse = false;
        ++moved;
        break;
      }
      std::string fault = verifySchedule(problem, schedule);
      if (mustRefuse)
        EXPECT_NE(fault, "") << name << " " << trial;
      else if (!fault.empty())
        ++refusedMoves;
      else
        EXPECT_GT(simulateSchedule(problem, schedule).makespan, 0);
    }
  EXPECT_GT(refusedMoves, moved / 4);
}
