//===- StreamScheduleTest.cpp - Plans as work on streams ------------------===//
//
// What is put on which stream, and what waits for what.
//
//===----------------------------------------------------------------------===//

#include "../PipelinePlan.h"
#include "../TestPlan.h"
#include "../TrainingPlan.h"

#include "runtime/exec/StreamSchedule.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;
using Kind = StreamOp::Kind;

namespace {

/// The schedule of a plan whose ranks have made-up memory.
class Scheduled {
public:
  explicit Scheduled(std::unique_ptr<plan::PlanT> made)
      : plan(std::move(made)), mesh(*plan) {
    std::vector<ScheduledRank> ranks;
    programs.reserve(plan->devices);
    for (uint32_t rank = 0; rank < plan->devices; ++rank) {
      RankMemory memory{addressOf(rank), addressOf(rank) + (1 << 20)};
      const plan::ProgramT &program =
          *plan->classes[plan->rank_class[rank]]->programs[0];
      programs.push_back(resolveProgram(program, mesh, rank, memory));
      ranks.push_back({rank, &programs.back(), memory});
    }
    StatusOr<StreamSchedule> scheduled = scheduleStreams(*plan, ranks);
    EXPECT_TRUE(scheduled.ok()) << scheduled.status().message();
    if (scheduled.ok())
      schedule = std::move(*scheduled);
  }

  std::vector<const StreamOp *> opsOn(uint32_t stream) const {
    std::vector<const StreamOp *> ops;
    for (const StreamOp &op : schedule.ops)
      if (op.stream == stream)
        ops.push_back(&op);
    return ops;
  }
  uint32_t indexOf(const StreamOp &op) const {
    return static_cast<uint32_t>(&op - schedule.ops.data());
  }

  std::unique_ptr<plan::PlanT> plan;
  plan::MeshMath mesh;
  std::vector<RankProgram> programs;
  StreamSchedule schedule;

private:
  static uint8_t *addressOf(uint32_t rank) {
    return reinterpret_cast<uint8_t *>(uintptr_t(rank + 1) << 24);
  }
};

TEST(StreamSchedule, ACollectiveWaitsForItsMembersAndIsWaitedFor) {
  Scheduled made(test::trainingPlan(3));
  ASSERT_EQ(made.schedule.streams.size(), 4u); // three ranks, one group
  EXPECT_EQ(made.schedule.streams[3].members, (std::vector<uint32_t>{0, 1, 2}));
  std::vector<const StreamOp *> group = made.opsOn(3);
  ASSERT_EQ(group.size(), 1u);
  std::vector<uint32_t> products;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    std::vector<const StreamOp *> ops = made.opsOn(rank);
    // The product, the kernel beside the collective, the one behind its wait,
    // and the parameter that the result takes.
    ASSERT_EQ(ops.size(), 4u);
    EXPECT_EQ(ops[0]->kind, Kind::Gemm);
    EXPECT_TRUE(ops[0]->isAwaited);
    EXPECT_EQ(ops[1]->kind, Kind::Launch);
    EXPECT_EQ(ops[1]->after, std::vector<uint32_t>());
    EXPECT_FALSE(ops[1]->isAwaited);
    EXPECT_EQ(ops[2]->after, std::vector<uint32_t>{made.indexOf(*group[0])});
    EXPECT_EQ(ops[3]->kind, Kind::Copy);
    EXPECT_EQ(ops[3]->instruction, StreamOp::none);
    products.push_back(made.indexOf(*ops[0]));
  }
  EXPECT_EQ(group[0]->after, products);
  EXPECT_TRUE(group[0]->isAwaited);
}

/// Every run of a loop's body is an operation of its own, with its iteration.
TEST(StreamSchedule, LoopsAreUnrolled) {
  test::TestPlan b({{"x", 2}});
  b.plan().mesh.push_back(std::make_unique<plan::AxisT>());
  b.plan().mesh.back()->name = "t";
  b.plan().mesh.back()->size = 3;
  b.plan().mesh.back()->kind = plan::AxisKind::Time;
  uint32_t in = b.argument("in", {4}, {});
  uint32_t index = b.buffer(4), carried = b.buffer(16), next = b.buffer(16);
  b.beginLoop("t", index, {in}, {carried});
  b.copy(carried, next);
  b.endLoop({next}, {carried});
  b.result("out", carried, {4}, {});
  Scheduled made(b.finish());
  std::vector<uint32_t> written;
  size_t copies = 0;
  for (const StreamOp *op : made.opsOn(0)) {
    copies += op->kind == Kind::Copy;
    if (op->kind == Kind::Write)
      written.push_back(op->value);
  }
  EXPECT_EQ(written, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(copies, 1u + 3 + 3); // the init, the body, the next values
}

/// A message has a stream of sender and receiver, and comes after the sender's
/// compute and what the receiver had done when it was ready to receive.
TEST(StreamSchedule, MessagesAreOneOperationOfTwoRanks) {
  test::Pipeline pipeline;
  pipeline.ranks = 3;
  pipeline.microbatches = 5;
  Scheduled made(test::pipelinePlan(pipeline));
  size_t messages = 0;
  for (const StreamOp &op : made.schedule.ops) {
    if (op.kind != Kind::Collective)
      continue;
    const ScheduledGroup &group = made.schedule.groups[op.group];
    if (!group.call.isMessage())
      continue;
    ++messages;
    ASSERT_EQ(group.call.members.size(), 2u);
    EXPECT_FALSE(group.call.members[0].operands.empty());
    EXPECT_FALSE(group.call.members[1].results.empty());
    EXPECT_FALSE(group.ready[0].empty());
    for (uint32_t before : op.after)
      EXPECT_LT(before, made.indexOf(op));
  }
  // Two ways between neighbours, for each microbatch.
  EXPECT_EQ(messages, 2u * 2 * 5);
  size_t streams = 0;
  for (const StreamUse &use : made.schedule.streams)
    streams += use.members.size() == 2;
  EXPECT_EQ(streams, 4u);
}

/// One list can be enqueued by one thread: nothing comes after what is later.
TEST(StreamSchedule, OperationsComeAfterEarlierOnes) {
  for (const char *schedule : {"gpipe", "1f1b", "zb-h1"}) {
    test::Pipeline pipeline;
    pipeline.schedule = schedule;
    pipeline.ranks = 4;
    pipeline.replicas = 2;
    Scheduled made(test::pipelinePlan(pipeline));
    for (const StreamOp &op : made.schedule.ops)
      for (uint32_t before : op.after) {
        EXPECT_LT(before, made.indexOf(op));
        EXPECT_TRUE(made.schedule.ops[before].isAwaited);
        EXPECT_NE(made.schedule.ops[before].stream, op.stream);
      }
  }
}

} // namespace
