//===- SimulateTest.cpp - Predicted steps of plans written by hand --------===//
//
// Exact times: a device of one operation per second, links of one byte per
// second and ten seconds of latency. An all_reduce of two f32 over two ranks is
// two messages of 4 bytes, 14 seconds each.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Simulate/Simulate.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::simulate;
using test::TestPlan;

namespace {

Machine slowMachine(size_t axes = 1) {
  Machine machine;
  machine.device = {1, 1e30, 0};
  machine.links.assign(axes, LinkSpeed{10, 1});
  return machine;
}

/// Builds programs over {"data"=2} out of kernels of so many seconds and
/// all_reduces of two f32.
class Builder {
public:
  Builder() : plan({{"data", 2}, {"micro", 1000}}) {
    plan.plan().mesh[1]->kind = AxisKind::Time;
    in = plan.argument("in", {2}, {});
  }
  void kernel(uint64_t seconds) {
    plan.launch(0, {in}, {plan.buffer(8)}).flops = seconds;
  }
  uint32_t start(uint16_t stream = 0) {
    return plan
        .start(CollectiveKind::AllReduce, {plan.axis("data")}, {in},
               {plan.buffer(8)}, {2}, Combiner::Sum, ElementType::F32, stream)
        .event;
  }
  void wait(uint32_t event) { plan.wait(event); }
  void loop(bool begins, uint32_t trips = 0) {
    auto instruction = std::make_unique<InstructionT>();
    if (begins) {
      LoopBeginT op;
      op.trips = trips;
      op.index = plan.buffer(4);
      begin = plan.program().instructions.size();
      instruction->op.Set(std::move(op));
    } else {
      LoopEndT op;
      op.begin = static_cast<uint32_t>(begin);
      instruction->op.Set(std::move(op));
    }
    plan.program().instructions.push_back(std::move(instruction));
  }
  Prediction run(const Machine &machine = slowMachine()) {
    std::unique_ptr<PlanT> done = plan.finish();
    return simulateProgram(*done, *done->classes[0]->programs[0], machine);
  }

private:
  TestPlan plan;
  uint32_t in;
  size_t begin = 0;
};

TEST(Simulate, ComputeHidesACollective) {
  Builder b;
  b.kernel(5);
  uint32_t event = b.start();
  b.kernel(20);
  b.wait(event);
  b.kernel(3);
  Prediction p = b.run();
  EXPECT_DOUBLE_EQ(p.compute, 28);
  EXPECT_DOUBLE_EQ(p.exposed, 8); // 28 of the all_reduce, 20 hidden
  EXPECT_DOUBLE_EQ(p.step, 36);
  ASSERT_EQ(p.collectives.size(), 1u);
  EXPECT_EQ(p.collectives[0].instruction, 1u);
  EXPECT_DOUBLE_EQ(p.collectives[0].start, 5);
  EXPECT_DOUBLE_EQ(p.collectives[0].end, 33);
  EXPECT_DOUBLE_EQ(p.collectives[0].exposed, 8);
}

TEST(Simulate, OverlapOffAndLateExposeEverything) {
  for (Overlap overlap : {Overlap::Off, Overlap::Late}) {
    Builder b;
    uint32_t first = b.start();
    b.kernel(20);
    uint32_t second = b.start();
    b.kernel(20);
    b.wait(first);
    b.wait(second);
    Machine machine = slowMachine();
    machine.overlap = overlap;
    Prediction p = b.run(machine);
    EXPECT_DOUBLE_EQ(p.compute, 40);
    EXPECT_DOUBLE_EQ(p.exposed, 56);
    EXPECT_DOUBLE_EQ(p.step, 96);
    EXPECT_DOUBLE_EQ(p.collectives[0].start, overlap == Overlap::Off ? 0 : 40);
    EXPECT_DOUBLE_EQ(p.collectives[1].start, overlap == Overlap::Off ? 48 : 68);
  }
}

TEST(Simulate, AStreamRunsOneCollectiveAfterTheOther) {
  Builder b;
  uint32_t first = b.start(), second = b.start();
  b.kernel(30);
  b.wait(second);
  b.wait(first);
  Prediction p = b.run();
  EXPECT_DOUBLE_EQ(p.collectives[1].start, 28);
  EXPECT_DOUBLE_EQ(p.collectives[1].end, 56);
  EXPECT_DOUBLE_EQ(p.collectives[1].exposed, 26);
  EXPECT_DOUBLE_EQ(p.collectives[0].exposed, 0);
  EXPECT_DOUBLE_EQ(p.step, 56);
}

TEST(Simulate, StreamsShareALink) {
  Builder b;
  uint32_t first = b.start(0), second = b.start(1);
  b.wait(first);
  b.wait(second);
  Prediction p = b.run();
  // Sent at 0 and 14 by the one; at 4 and 18 by the other, behind them.
  EXPECT_DOUBLE_EQ(p.collectives[0].end, 28);
  EXPECT_DOUBLE_EQ(p.collectives[1].start, 4);
  EXPECT_DOUBLE_EQ(p.collectives[1].end, 32);
  EXPECT_DOUBLE_EQ(p.exposed, 32);
}

TEST(Simulate, TheFirstThatIsReadyGetsTheLink) {
  Builder b;
  Machine machine = slowMachine();
  machine.links[0].latency = 0;
  uint32_t first = b.start(0);
  b.kernel(2);
  uint32_t second = b.start(1);
  b.wait(first);
  b.wait(second);
  Prediction p = b.run(machine);
  // The second is ready at 2, before the first's next message at 4.
  EXPECT_DOUBLE_EQ(p.collectives[1].start, 4);
  EXPECT_DOUBLE_EQ(p.collectives[0].end, 12);
  EXPECT_DOUBLE_EQ(p.collectives[1].end, 16);
}

TEST(Simulate, LoopsAreSimulatedOnce) {
  Builder b;
  b.kernel(1);
  b.loop(true, 1000);
  uint32_t event = b.start();
  b.kernel(20);
  b.wait(event);
  b.loop(false);
  uint32_t last = b.start();
  b.wait(last);
  Prediction p = b.run();
  EXPECT_DOUBLE_EQ(p.compute, 20001);
  EXPECT_DOUBLE_EQ(p.step, 1 + 1000 * 28 + 28);
  EXPECT_DOUBLE_EQ(p.exposed, 1000 * 8 + 28);
  ASSERT_EQ(p.collectives.size(), 2u);
  EXPECT_DOUBLE_EQ(p.collectives[0].end, 29); // of the first iteration
  EXPECT_DOUBLE_EQ(p.collectives[0].exposed, 8000);
  EXPECT_DOUBLE_EQ(p.collectives[1].start, 28001);
}

TEST(Simulate, ResultsAreCopiedIntoTheirArguments) {
  TestPlan b({});
  uint32_t x = b.argument("x", {4}, {}, ElementType::F32, Role::Param);
  uint32_t y = b.buffer(16);
  b.copy(x, y);
  b.result("y", y, {4}, {}, 0);
  std::unique_ptr<PlanT> plan = b.finish();
  Machine machine;
  machine.device = {1, 1, 0};
  Prediction p =
      simulateProgram(*plan, *plan->classes[0]->programs[0], machine);
  EXPECT_DOUBLE_EQ(p.step, 64); // 16 bytes read and written, twice
}

TEST(Simulate, GroupsOfAMillionCostNothingToSimulate) {
  TestPlan b({{"data", 1 << 20}});
  uint32_t in = b.buffer(4 << 20), out = b.buffer(4 << 20);
  for (uint32_t i = 0; i < 1000; ++i) {
    b.start(CollectiveKind::AllReduce, {b.axis("data")}, {in}, {out}, {1 << 20},
            Combiner::Sum);
    b.wait(i);
  }
  std::unique_ptr<PlanT> plan = b.finish();
  Prediction p =
      simulateProgram(*plan, *plan->classes[0]->programs[0], slowMachine());
  EXPECT_DOUBLE_EQ(p.step, 1000.0 * 2 * ((1 << 20) - 1) * 14);
}

TEST(Simulate, WithoutCoresCollectivesHoldUpKernels) {
  Builder b;
  uint32_t event = b.start();
  b.kernel(100);
  b.wait(event);
  Machine machine;
  machine.ranks = machine.cores = 2;
  machine.calibration.messageSeconds = 1;
  machine.calibration.storedBytesPerSecond = 4;
  machine.calibration.combinedBytesPerSecond = 2;
  machine.calibration.launch = 10;
  Prediction p = b.run(machine);
  // A kernel is a launch and next to nothing; 3 and 2 seconds of messages.
  EXPECT_NEAR(p.step, 15, 1e-6);
  EXPECT_NEAR(p.compute, 10, 1e-6);
}

TEST(Simulate, AMeasuredMachineAddsToModelledLinks) {
  Builder b;
  uint32_t event = b.start();
  b.wait(event);
  Machine machine = slowMachine();
  machine.calibration.messageSeconds = 1;
  machine.calibration.storedBytesPerSecond = 4;
  machine.calibration.combinedBytesPerSecond = 2;
  machine.calibration.isMeasured = true;
  Prediction p = b.run(machine);
  EXPECT_DOUBLE_EQ(p.step, (14 + 1 + 2) + (14 + 1 + 1));
}

// ---- messages --------------------------------------------------------------

CollectiveStartT collectiveOf(CollectiveKind kind, uint64_t count, uint64_t n) {
  CollectiveStartT op;
  op.kind = kind;
  op.type = ElementType::F32;
  op.counts = {count};
  for (uint64_t i = 0; i < n; ++i)
    op.permutation.push_back(static_cast<uint32_t>((i + 1) % n));
  return op;
}

TEST(Messages, SumToWhatTheTransportCounts) {
  for (uint64_t n : {2, 3, 4, 8, 12})
    for (uint64_t count : {24u, 24u << 10, 24u << 16})
      for (CollectiveKind kind :
           {CollectiveKind::AllReduce, CollectiveKind::AllGather,
            CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
            CollectiveKind::Permute}) {
        CollectiveStartT op = collectiveOf(kind, count, n);
        uint64_t sum = 0;
        for (const MessageRun &run : messagesOf(op, n))
          sum += run.count * run.bytes;
        EXPECT_EQ(sum, wireBytesSent(op, n, 0))
            << EnumNameCollectiveKind(kind) << " " << count << " of " << n;
      }
}

uint64_t steps(const CollectiveStartT &op, uint64_t n) {
  uint64_t count = 0;
  for (const MessageRun &run : messagesOf(op, n))
    count += run.count;
  return count;
}

TEST(Messages, AsManyStepsAsTheAlgorithmHas) {
  auto all = [](uint64_t count, uint64_t n) {
    return collectiveOf(CollectiveKind::AllReduce, count, n);
  };
  EXPECT_EQ(steps(all(1 << 20, 8), 8), 14u); // ring
  EXPECT_EQ(steps(all(1 << 10, 8), 8), 6u);  // halving and doubling
  EXPECT_EQ(steps(all(1 << 10, 6), 6), 10u);
  EXPECT_EQ(steps(all(1 << 10, 1), 1), 0u);
  EXPECT_EQ(steps(collectiveOf(CollectiveKind::AllToAll, 64, 8), 8), 7u);
  EXPECT_EQ(steps(collectiveOf(CollectiveKind::Permute, 64, 8), 8), 1u);
  CollectiveStartT still = collectiveOf(CollectiveKind::Permute, 64, 8);
  still.permutation = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(steps(still, 8), 0u);
}

TEST(Messages, ABroadcastIsAPipeline) {
  CollectiveStartT op = collectiveOf(CollectiveKind::Broadcast, 3 << 16, 4);
  op.axes = {AxisRef(0, 1, 4)};
  Machine machine;
  machine.links = {LinkSpeed{1, 256 << 10}};
  // Three pieces of a second each down three hops with a second of latency.
  EXPECT_DOUBLE_EQ(collectiveSeconds(op, 4, machine), 3 * 2 + 2);
}

} // namespace
