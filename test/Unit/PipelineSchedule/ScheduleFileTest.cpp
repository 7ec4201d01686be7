//===- ScheduleFileTest.cpp - PyTorch's schedule files --------------------===//

#include "partopt/PipelineSchedule/ScheduleFile.h"

#include "TestSchedules.h"

using namespace partopt::pipeline;

static std::string refusal(const std::string &text) {
  ScheduleFile file;
  return parseScheduleCsv(text, file);
}

TEST(ScheduleFile, IsReadAsItWasWritten) {
  for (const std::string &name : scheduleNames()) {
    ScheduleShape shape{4, 8, std::nullopt, std::nullopt, 0};
    Schedule schedule = makeSchedule(name, shape);
    ScheduleFile file;
    ASSERT_EQ(parseScheduleCsv(scheduleCsv(schedule), file), "") << name;
    EXPECT_EQ(file.schedule.ranks, schedule.ranks) << name;
    EXPECT_EQ(file.microbatches, 8);
    EXPECT_EQ(file.forwardOnly, name == "inference");
    Placement placement = placementOf(name, shape);
    EXPECT_EQ(file.placement.stagesOfRanks(), placement.stagesOfRanks());
    EXPECT_EQ(file.placement.hasTwoWays(), placement.hasTwoWays()) << name;
  }
}

TEST(ScheduleFile, NamesOverlappedPairsAsPyTorch) {
  Schedule schedule;
  schedule.ranks = {
      {{{ActionKind::Forward, 0, 3}, Action{ActionKind::Backward, 3, 1}},
       {{ActionKind::WeightGrad, 3, 0}, std::nullopt}}};
  EXPECT_EQ(scheduleCsv(schedule), "(0F3;3B1)OVERLAP_F_B,3W0\n");
}

TEST(ScheduleFile, LeavesOutWhatFollowsFromTheOrder) {
  ScheduleFile file;
  ASSERT_EQ(parseScheduleCsv("0UNSHARD,0F0,0SEND_F0,,0RECV_B0, 0I0 ,0W0,"
                             "0REDUCE_GRAD,0RESHARD\r\n"
                             "1RECV_F0,\"1F0\",1B0,1SEND_B0,\r\n\r\n",
                             file),
            "");
  EXPECT_EQ(orderText(file.schedule.ranks[0]), "0F0 0I0 0W0");
  EXPECT_EQ(orderText(file.schedule.ranks[1]), "1F0 1B0");
  EXPECT_EQ(file.schedule.ranks.size(), 2u);
  EXPECT_EQ(file.placement.rank(1, 0), 1);
}

TEST(ScheduleFile, SaysWhereItIsWrong) {
  const std::string known =
      "' is no action; actions are a stage, F, I, W or B, and a microbatch, as "
      "3F0, and pairs of them, as (0F3;3B1)OVERLAP_F_B";
  EXPECT_EQ(refusal("0F0,0B0\n1F0, 1X0"), "2:6: '1X0" + known);
  EXPECT_EQ(refusal("0F0,0F"), "1:5: '0F" + known);
  EXPECT_EQ(refusal("F0"), "1:1: 'F0" + known);
  EXPECT_EQ(refusal("0F0x"), "1:1: '0F0x" + known);
  EXPECT_EQ(refusal("0F0,123456789F0"), "1:5: '123456789F0" + known);
  EXPECT_EQ(refusal("0F0,(0F1;0B0"), "1:5: '(0F1;0B0" + known);
  EXPECT_EQ(refusal("0F0,(0F1;0B0)OTHER"), "1:5: '(0F1;0B0)OTHER" + known);
  EXPECT_EQ(refusal("0F0,(0F1; 0X0)"), "1:11: '0X0" + known);
  EXPECT_EQ(refusal("0F0,(0F1)"), "1:5: '(0F1)' has to be two actions");
  EXPECT_EQ(refusal(""), "1:1: there is no action");
  EXPECT_EQ(refusal("0F0,0B0,2F0,2B0"), "1:1: no rank has stage 1");
  EXPECT_EQ(refusal("0F0,0B7"),
            "1:1: the actions are of 1 stages and 8 microbatches, and there "
            "are only 2 of them");
  EXPECT_EQ(refusal("0F0,1F0,0B0\n1B0"),
            "2:1: stage 1 is on rank 0 and on rank 1");
}
