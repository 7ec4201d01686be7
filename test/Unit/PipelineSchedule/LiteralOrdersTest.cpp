//===- LiteralOrdersTest.cpp - Orders as they are published ---------------===//
//
// Every action of small instances.
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

using namespace partopt::pipeline;

namespace {

struct Literal {
  const char *name;
  ScheduleShape shape;
  std::vector<std::pair<int, const char *>> orders; ///< rank, its order
};

} // namespace

static std::vector<Literal> literals() {
  return {
      {"1f1b",
       {3, 4, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3"},
           {1, "1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3"},
           {2, "2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3"},
       }},
      {"eager-1f1b",
       {3, 5, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 0F3 0F4 0B0 0B1 0B2 0B3 0B4"},
           {1, "1F0 1F1 1F2 1B0 1F3 1B1 1F4 1B2 1B3 1B4"},
           {2, "2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 2F4 2B4"},
       }},
      {"interleaved",
       {2, 4, 2, std::nullopt, 0},
       {
           {0,
            "0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3"},
           {1,
            "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3"},
       }},
      {"zb-h1",
       {3, 4, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3"},
           {1, "1F0 1F1 1I0 1F2 1I1 1W0 1F3 1I2 1W1 1I3 1W2 1W3"},
           {2, "2F0 2I0 2F1 2I1 2F2 2I2 2W0 2F3 2I3 2W1 2W2 2W3"},
       }},
      {"zb-h2",
       {2, 4, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3"},
           {1, "1F0 1I0 1F1 1I1 1F2 1I2 1W0 1F3 1I3 1W1 1W2 1W3"},
       }},
      {"zb-v",
       {2, 4, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0F3 0I0 0W0 3F2 3I2 3W2 "
               "0I1 0W1 3F3 3I3 3W3 0I2 0W2 0I3 0W3"},
           {1, "1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1F3 1I1 1W1 "
               "2F3 2I2 2W2 1I2 2I3 1I3 1W2 2W3 1W3"},
       }},
      {"dualpipev",
       {2, 5, std::nullopt, std::nullopt, 0},
       {
           {0, "0F0 0F1 0F2 3F0 3I0 3W0 3F1 (0F3;3B1) (3F2;0B0) (0F4;3B2) "
               "(3F3;0B1) 3B3 (3F4;0B2) 3B4 0I3 0W3 0I4 0W4"},
           {1, "1F0 2F0 1F1 2F1 1F2 2B0 (2F2;1B0) (1F3;2B1) (2F3;1B1) "
               "(1F4;2B2) (2F4;1B2) 2B3 1B3 2I4 1I4 2W4 1W4"},
       }},
  };
}

TEST(LiteralOrders, AreReproduced) {
  for (const Literal &literal : literals()) {
    ASSERT_EQ(checkShape(literal.name, literal.shape), "");
    Schedule schedule = makeSchedule(literal.name, literal.shape);
    for (const auto &[rank, order] : literal.orders)
      EXPECT_EQ(orderText(schedule.ranks[rank]), order)
          << literal.name << " rank " << rank;
  }
}

TEST(LiteralOrders, OfInferenceAreForwardsInGroupsOfTheRanks) {
  Schedule schedule = makeSchedule("inference", {2, 3, 2, std::nullopt, 0});
  EXPECT_EQ(orderText(schedule.ranks[0]), "0F0 0F1 2F0 2F1 0F2 2F2");
  EXPECT_EQ(orderText(schedule.ranks[1]), "1F0 1F1 3F0 3F1 1F2 3F2");
}

TEST(LiteralOrders, OfDualPipeGoBothWays) {
  // Half of the microbatches enter at each end.
  Schedule schedule =
      makeSchedule("dualpipe", {2, 4, std::nullopt, std::nullopt, 0});
  EXPECT_EQ(orderText(schedule.ranks[0]),
            "0F0 1F2 0F1 1B2 (1F3;0B0) 1B3 0I1 0W1");
  EXPECT_EQ(orderText(schedule.ranks[1]),
            "0F2 1F0 0F3 1B0 (1F1;0B2) 1B1 0I3 0W3");
}
