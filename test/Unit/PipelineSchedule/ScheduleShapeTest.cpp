//===- ScheduleShapeTest.cpp - What each named schedule can take ----------===//
//
// A refusal says which number is wrong and the nearest that works.
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

using namespace partopt::pipeline;

static std::string refusal(const char *name, int p, int m,
                           std::optional<int> v = {}, std::optional<int> q = {},
                           int extra = 0) {
  return checkShape(name, {p, m, v, q, extra});
}

TEST(ScheduleShape, NamesMicrobatchesThatWork) {
  EXPECT_EQ(
      refusal("zb-h1", 4, 3),
      "zb-h1 cannot take 3 microbatches on 4 ranks: it needs a microbatch "
      "per rank, at least 4; the nearest number that works is 4");
  EXPECT_EQ(refusal("zb-h2", 4, 6),
            "zb-h2 cannot take 6 microbatches on 4 ranks: it needs two "
            "microbatches per rank less one, at least 7; the nearest number "
            "that works is 7");
  EXPECT_EQ(refusal("dualpipe", 4, 9),
            "dualpipe cannot take 9 microbatches on 4 ranks: it needs an even "
            "number of them, half for each way; the nearest numbers that work "
            "are 8 and 10");
  EXPECT_EQ(refusal("interleaved", 4, 9, 2),
            "interleaved cannot take 9 microbatches on 4 ranks: it needs a "
            "multiple of its 2 rounds of at least 4 ranks; the nearest numbers "
            "that work are 8 and 10");
  EXPECT_EQ(refusal("interleaved", 4, 9, 2, 6),
            "interleaved cannot take 9 microbatches on 4 ranks: it needs whole "
            "groups of 6, or a last one of at least 4 ranks; the nearest "
            "numbers that work are 6 and 10");
  EXPECT_NE(refusal("looped-bfs", 4, 3, 2), "");
  EXPECT_NE(refusal("dualpipev", 4, 7), "");
  EXPECT_NE(refusal("1f1b", 4, 0), "");
}

TEST(ScheduleShape, NamesRanksAndChunksThatWork) {
  EXPECT_EQ(refusal("dualpipe", 5, 20),
            "dualpipe needs an even number of ranks, not 5; the nearest "
            "numbers that work are 4 and 6");
  EXPECT_EQ(refusal("zb-v", 4, 8, 3), "zb-v has 2 chunks per rank, not 3");
  EXPECT_EQ(refusal("1f1b", 4, 8, 2),
            "1f1b has 1 chunk per rank, not 2; interleaved is 1f1b with more");
  EXPECT_EQ(refusal("interleaved", 4, 8, 0),
            "the number of chunks per rank is at least 1, not 0");
  EXPECT_EQ(refusal("gpipe", 0, 8), "the number of ranks is at least 1, not 0");
}

TEST(ScheduleShape, KnowsWhereGroupsBelong) {
  EXPECT_EQ(refusal("1f1b", 4, 8, {}, 4),
            "1f1b has no groups of microbatches; interleaved and "
            "interleaved-zb have");
  EXPECT_EQ(refusal("interleaved", 4, 8, 2, 3),
            "interleaved takes groups of at least 4 ranks, not of 3 "
            "microbatches; the nearest that works is 4");
  EXPECT_EQ(refusal("zb-h1", 4, 8, {}, {}, 1),
            "zb-h1 has no extra warm-up; interleaved has");
}

TEST(ScheduleShape, TakesWhatItSays) {
  // All that passes the check is an order that can be executed.
  for (const std::string &name : scheduleNames())
    for (int p = 1; p <= 8; ++p)
      for (int m = 1; m <= 18; ++m)
        for (int v = 1; v <= 4; ++v) {
          ScheduleShape shape{p, m, v, std::nullopt, 0};
          if (!checkShape(name, shape).empty())
            continue;
          Problem problem = problemOf(name, shape);
          ASSERT_EQ(verifySchedule(problem, makeSchedule(name, shape)), "")
              << name << " p=" << p << " m=" << m << " v=" << v;
        }
}
