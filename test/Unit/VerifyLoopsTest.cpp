//===- VerifyLoopsTest.cpp - Broken loops are refused ---------------------===//
//
// A plan that accumulates over an axis in time, broken in every way that an
// executor relies on.
//
//===----------------------------------------------------------------------===//

#include "PlanFault.h"
#include "RefitProgram.h"
#include "TestPlan.h"

#include "partopt/Plan/VerifyPlan.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

enum Buffers : uint32_t { X, Zero, Sum, Part, Index, All };
enum Instructions { Clear, Begin, Slice, Reduce, Wait1, Add, End };

LoopBeginT &beginOf(ProgramT &p) {
  return *p.instructions[Begin]->op.AsLoopBegin();
}
LoopEndT &endOf(ProgramT &p) { return *p.instructions[End]->op.AsLoopEnd(); }

/// sum = 0; in each of 4 iterations: part = slice(x, i), all = all_reduce(part)
/// over 2 devices, sum = sum + all.
std::unique_ptr<PlanT> loopPlan() {
  TestPlan builder({{"data", 2}, {"micro", 4}});
  PlanT &plan = builder.plan();
  plan.mesh[1]->kind = AxisKind::Time;
  plan.devices = 2;
  plan.rank_class.assign(2, 0);
  plan.classes[0]->kernels = std::make_unique<KernelObjectT>();
  plan.classes[0]->kernels->symbols = {"k0", "k1", "k2"};
  AxisRef data = builder.axis("data"), micro = builder.axis("micro");
  builder.argument("x", {16}, {{data, micro}});
  for (uint64_t bytes : {8, 8, 8, 4, 8})
    builder.buffer(bytes);
  builder.launch(0, {}, {Zero});
  auto bound = [&](OpUnion op, std::vector<uint32_t> reads,
                   std::vector<uint32_t> writes) {
    builder.copy(Zero, Sum); // replaced at once
    InstructionT &instruction = *builder.program().instructions.back();
    instruction.op = std::move(op);
    instruction.reads = std::move(reads);
    instruction.writes = std::move(writes);
  };
  LoopBeginT begin;
  begin.axis = 1;
  begin.trips = 4;
  begin.end = End;
  begin.index = Index;
  begin.inits = {Zero};
  begin.carried = {Sum};
  OpUnion op;
  op.Set(begin);
  bound(op, {Zero}, {Index, Sum});
  builder.launch(1, {X, Index}, {Part});
  builder
      .start(CollectiveKind::AllReduce, {data}, {Part}, {All}, {2},
             Combiner::Sum)
      .trip_count = 4;
  builder.wait(0);
  builder.launch(2, {Sum, All}, {Sum});
  LoopEndT end;
  end.begin = Begin;
  end.nexts = {Sum};
  end.carried = {Sum};
  op.Set(end);
  bound(op, {Sum}, {Sum});
  builder.result("sum", Sum, {2}, {});
  return builder.finish();
}

ProgramT &programOf(PlanT &plan) { return *plan.classes[0]->programs[0]; }

const PlanFault faults[] = {
    {"number", [](PlanT &, ProgramT &p) { beginOf(p).id = 3; },
     "is loop 3, expected 0"},
    {"axis in space", [](PlanT &, ProgramT &p) { beginOf(p).axis = 0; },
     "devices, too few for a ring of 4 steps"},
    {"unknown axis", [](PlanT &, ProgramT &p) { beginOf(p).axis = 7; },
     "axis number 7 is not in the mesh of 2 axes"},
    {"iterations", [](PlanT &, ProgramT &p) { beginOf(p).trips = 5; },
     "axis 'micro' has 4 iterations, not 5"},
    {"index buffer", [](PlanT &, ProgramT &p) { beginOf(p).index = 99; },
     "counts in buffer 99 of 6"},
    {"init buffer", [](PlanT &, ProgramT &p) { beginOf(p).inits = {99}; },
     "starts from buffer 99 of 6"},
    {"next buffer", [](PlanT &, ProgramT &p) { endOf(p).nexts = {99}; },
     "goes on with buffer 99 of 6"},
    {"values and buffers",
     [](PlanT &, ProgramT &p) { beginOf(p).inits.clear(); },
     "has 0 values for 1 carried buffers"},
    {"too small an init",
     [](PlanT &, ProgramT &p) { beginOf(p).inits = {Index}; },
     "buffer 4 is smaller than buffer 2, which it is copied to"},
    {"carried twice",
     [](PlanT &, ProgramT &p) {
       beginOf(p).inits = {Zero, Zero};
       beginOf(p).carried = {Sum, Sum};
     },
     "carries a buffer twice"},
    {"other carried buffers",
     [](PlanT &, ProgramT &p) { endOf(p).carried = {Part}; },
     "carries other buffers than its begin"},
    {"value of another",
     [](PlanT &, ProgramT &p) {
       beginOf(p).inits = {Zero, Zero};
       beginOf(p).carried = {Sum, Part};
       endOf(p).nexts = {Part, All};
       endOf(p).carried = {Sum, Part};
     },
     "goes on with buffer 3, which carries another value"},
    {"other begin", [](PlanT &, ProgramT &p) { endOf(p).begin = 0; },
     "ends the loop of instruction 0, the open one is of instruction 1"},
    {"other end", [](PlanT &, ProgramT &p) { beginOf(p).end = Add; },
     "ends the loop of instruction 1, the open one is of instruction 1 and "
     "ends at 5"},
    {"no begin",
     [](PlanT &, ProgramT &p) {
       p.instructions[Reduce]->op.AsCollectiveStart()->trip_count = 1;
       p.instructions.erase(p.instructions.begin() + Begin);
     },
     "ends no loop"},
    {"no end", [](PlanT &, ProgramT &p) { p.instructions.pop_back(); },
     "the loop has no end"},
    {"begun twice",
     [](PlanT &, ProgramT &p) {
       p.instructions[Slice] =
           std::make_unique<InstructionT>(*p.instructions[Begin]);
     },
     "is loop 0, expected 1"},
    {"how often a collective runs",
     [](PlanT &, ProgramT &p) {
       p.instructions[Reduce]->op.AsCollectiveStart()->trip_count = 1;
     },
     "says that it runs 1 times per step, it runs 4 times"},
    {"index too small",
     [](PlanT &, ProgramT &p) { p.buffers[Index]->bytes = 2; },
     "iteration needs 4 bytes, buffer 4 has 2"},
    {"unlisted", [](PlanT &, ProgramT &p) { p.instructions[End]->reads = {}; },
     "not what the operation touches"},
    {"in flight across the end",
     [](PlanT &, ProgramT &p) {
       std::swap(p.instructions[Wait1], p.instructions[End]);
       beginOf(p).end = Wait1;
       refitProgram(p);
     },
     "the collective of instruction 3 is in flight across the bound of a loop"},
    {"what the last iteration left",
     [](PlanT &, ProgramT &p) {
       p.instructions[Add]->reads = {Sum, Part};
       p.instructions[Add]->op.AsLaunch()->args = {Sum, Part, Sum};
       std::swap(p.instructions[Slice], p.instructions[Add]);
       p.instructions[Clear]->writes = {Zero, Part};
       p.instructions[Clear]->op.AsLaunch()->args = {Zero, Part};
       refitProgram(p);
     },
     "an iteration reads buffer 3 before it writes it, and the loop does not "
     "carry it"},
    {"lifetime of a carried buffer",
     [](PlanT &, ProgramT &p) { p.buffers[Sum]->first = Slice; },
     "writes buffer 2 outside its lifetime"},
    {"lifetime of what the loop finds",
     [](PlanT &, ProgramT &p) { p.buffers[X]->last = Slice; },
     "the loop keeps buffer 0, whose lifetime [0, 2] does not cover it"},
    {"time axis of a collective",
     [](PlanT &, ProgramT &p) {
       p.instructions[Reduce]->op.AsCollectiveStart()->axes = {
           AxisRef(1, 1, 4)};
     },
     "axis 'micro' is a time axis"},
    {"time before space",
     [](PlanT &, ProgramT &p) {
       auto &axes = p.arguments[0]->tensor->sharding->dims[0]->axes;
       std::swap(axes[0], axes[1]);
     },
     "time axes are whole and the last of their dimension"},
};

class VerifyLoop : public testing::TestWithParam<PlanFault> {};

TEST_P(VerifyLoop, IsRefused) { expectRefused(*loopPlan(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, VerifyLoop, testing::ValuesIn(faults), faultName);

TEST(VerifyLoops, GoodPlanPasses) {
  EXPECT_EQ(verifyPlan(*loopPlan()), std::vector<std::string>());
}

TEST(VerifyLoops, RanksHoldAllIterations) {
  auto plan = loopPlan();
  MeshMath mesh(*plan);
  const TensorT &x = *programOf(*plan).arguments[0]->tensor;
  EXPECT_EQ(mesh.localExtent(x, 0), 8U);
  EXPECT_EQ(mesh.shardRange(1, x)[0].begin, 8U);
  EXPECT_EQ(mesh.shardRange(1, x)[0].count, 8U);
}

TEST(VerifyLoops, OneIterationMoreIsAnotherComputation) {
  auto plan = loopPlan();
  plan->mesh[1]->size = 2;
  ProgramT &p = programOf(*plan);
  beginOf(p).trips = 2;
  p.instructions[Reduce]->op.AsCollectiveStart()->trip_count = 2;
  p.arguments[0]->tensor->sharding->dims[0]->axes[1] = AxisRef(1, 1, 2);
  std::vector<std::string> problems = verifyPlan(*plan);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("is not computed by the operations"),
            std::string::npos)
      << problems[0];
}

TEST(VerifyLoops, ClassesRepeatTheSameCollectives) {
  auto plan = loopPlan();
  plan->classes.push_back(std::make_unique<RankClassT>(*plan->classes[0]));
  plan->classes[1]->name = "other";
  plan->rank_class[1] = 1;
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  // The second class runs its collective before the loop.
  ProgramT &p = *plan->classes[1]->programs[0];
  std::rotate(p.instructions.begin() + Begin, p.instructions.begin() + Reduce,
              p.instructions.begin() + Add);
  std::vector<std::string> problems = verifyPlan(*plan);
  EXPECT_FALSE(problems.empty());
}

} // namespace
