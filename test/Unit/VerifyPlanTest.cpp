//===- VerifyPlanTest.cpp - Broken plans are refused ----------------------===//
//
// One good plan, broken in every way that an executor relies on; each must be
// refused with the message that names what is wrong.
//
//===----------------------------------------------------------------------===//

#include "GoodPlan.h"
#include "PlanFault.h"
#include "TestPlan.h"

#include "partopt/Plan/VerifyPlan.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

GemmT &gemmOf(ProgramT &p) { return *p.instructions[Dot]->op.AsGemm(); }

const PlanFault mutations[] = {
    {"mesh", [](PlanT &plan, ProgramT &) { plan.devices = 5; },
     "the mesh has 4 places but the plan is for 5"},
    {"device_ids",
     [](PlanT &plan, ProgramT &) { plan.device_ids = {0, 0, 1, 2}; },
     "not a permutation"},
    {"rank_class", [](PlanT &plan, ProgramT &) { plan.rank_class[3] = 1; },
     "rank 3 is of class 1"},
    {"mapping",
     [](PlanT &plan, ProgramT &) {
       plan.mapping = std::make_unique<MappingT>();
       plan.mapping->other = {9};
     },
     "the mapping names axis 9"},
    {"entry", [](PlanT &, ProgramT &p) { p.entry = 4; },
     "a program for entry 4"},
    {"loss", [](PlanT &plan, ProgramT &) { plan.entries[0]->loss_result = 3; },
     "the loss is result 3 of 1"},
    {"buffer index",
     [](PlanT &, ProgramT &p) { p.instructions[GroupIndex]->writes = {99}; },
     "writes buffer 99 of 8"},
    {"location",
     [](PlanT &, ProgramT &p) { p.instructions[GroupIndex]->loc = 9; },
     "names location 9 of 2"},
    {"kernel index",
     [](PlanT &, ProgramT &p) {
       p.instructions[Kernel]->op.AsLaunch()->kernel = 2;
     },
     "launches kernel 2, the class has 2"},
    {"kernel args",
     [](PlanT &, ProgramT &p) {
       p.instructions[Kernel]->op.AsLaunch()->args = {X};
     },
     "not what the operation touches"},
    {"event index", [](PlanT &, ProgramT &p) { startOf(p, Start).event = 7; },
     "uses event 7 of 2"},
    {"stream index", [](PlanT &, ProgramT &p) { startOf(p, Start).stream = 7; },
     "uses stream 7 of 2"},
    {"no op",
     [](PlanT &, ProgramT &p) { p.instructions[GroupIndex]->op.Reset(); },
     "no operation that this build knows"},
    {"misaligned", [](PlanT &, ProgramT &p) { p.buffers[G]->offset += 4; },
     "not aligned to 64"},
    {"outside", [](PlanT &, ProgramT &p) { p.buffers[NewW]->offset += 64; },
     "ends outside its region"},
    {"lifetime order", [](PlanT &, ProgramT &p) { p.buffers[G]->last = 99; },
     "no valid lifetime"},
    {"class that does not exist",
     [](PlanT &, ProgramT &p) {
       p.buffers[G]->holds = {
           Held(static_cast<MemoryClass>(99), p.buffers[G]->first)};
     },
     "is of class 99 from instruction"},
    {"class before the lifetime",
     [](PlanT &, ProgramT &p) {
       p.buffers[Partial]->holds = {Held(MemoryClass::Gradients, 0)};
     },
     "is of class 4 from instruction 0 on"},
    {"classes that do not ascend",
     [](PlanT &, ProgramT &p) {
       uint32_t first = p.buffers[G]->first;
       p.buffers[G]->holds = {Held(MemoryClass::Gradients, first),
                              Held(MemoryClass::Staging, first)};
     },
     "is of class 7 from instruction"},
    {"overlap", [](PlanT &, ProgramT &p) { p.buffers[G]->offset = 0; },
     "while both are live"},
    {"peak", [](PlanT &, ProgramT &p) { p.peak_bytes += 64; },
     "the plan says a peak of"},
    {"arena that nobody needs",
     [](PlanT &, ProgramT &p) {
       p.arena_bytes += 64;
       p.peak_bytes += 64;
     },
     "but its buffers end at"},
    {"lifetime too short",
     [](PlanT &, ProgramT &p) { p.buffers[Partial]->last = Kernel; },
     "reads buffer 4 outside its lifetime"},
    {"lifetime misses the wait",
     [](PlanT &, ProgramT &p) { p.buffers[H]->last = Start; },
     "still sends buffer 2 outside its lifetime"},
    {"argument in the arena",
     [](PlanT &, ProgramT &p) {
       p.arguments[1]->buffer = G;
       p.buffers[G]->first = 0;
     },
     "must be resident"},
    {"shared argument buffer",
     [](PlanT &, ProgramT &p) { p.arguments[1]->buffer = W; },
     "share buffer 0"},
    {"local shape",
     [](PlanT &, ProgramT &p) { p.arguments[1]->tensor->local_shape = {8, 8}; },
     "has the local shape 8x8xf32, its sharding gives 4x8xf32"},
    {"sharding axes",
     [](PlanT &, ProgramT &p) {
       auto &dims = p.arguments[1]->tensor->sharding->dims;
       dims[1]->axes = dims[0]->axes;
     },
     "is used twice"},
    {"argument too large for its buffer",
     [](PlanT &, ProgramT &p) {
       p.arguments[0]->tensor->global_shape = {8, 5};
       p.arguments[0]->tensor->local_shape = {8, 5};
     },
     "needs 160 bytes"},
    {"result dies early",
     [](PlanT &, ProgramT &p) {
       p.results[0]->buffer = X;
       p.buffers[X]->last -= 1;
     },
     "must live until the last instruction"},
    {"alias of another size",
     [](PlanT &, ProgramT &p) { p.results[0]->alias = 1; },
     "cannot take arg1 'x'"},
    {"alias out of range",
     [](PlanT &, ProgramT &p) { p.results[0]->alias = 9; },
     "takes argument 9 of 2"},
    {"result without a writer",
     [](PlanT &, ProgramT &p) {
       p.buffers.push_back(std::make_unique<BufferT>(*p.buffers[NewW]));
       p.buffers.back()->offset = p.arena_bytes;
       p.buffers.back()->first = p.buffers.back()->last;
       p.arena_bytes += 128;
       p.peak_bytes = p.resident_bytes + p.arena_bytes;
       p.results[0]->buffer = 8;
     },
     "is never written"},
    {"gemm extent", [](PlanT &, ProgramT &p) { gemmOf(p).m = 5; },
     "matrix A needs 160 bytes, buffer 1 has 128"},
    {"gemm adds to what it does not read",
     [](PlanT &, ProgramT &p) { gemmOf(p).accumulate = true; },
     "its lists of reads and writes are not what the operation touches"},
    {"gemm leading dimension", [](PlanT &, ProgramT &p) { gemmOf(p).ldb = 3; },
     "matrix B has 4 columns but a leading dimension of 3"},
    {"gemm type",
     [](PlanT &, ProgramT &p) { gemmOf(p).type = ElementType::BF16; },
     "only f32 and f64"},
    {"collective count",
     [](PlanT &, ProgramT &p) { startOf(p, Start).counts = {17}; },
     "operand 0 needs 68 bytes"},
    {"collective lists",
     [](PlanT &, ProgramT &p) { startOf(p, Start).counts = {8, 8}; },
     "1 operands, 1 results and 2 counts"},
    {"uneven blocks",
     [](PlanT &, ProgramT &p) {
       startOf(p, Start).kind = CollectiveKind::ReduceScatter;
       startOf(p, Start).counts = {15};
     },
     "cuts 15 elements in 2 equal blocks"},
    {"combiner",
     [](PlanT &, ProgramT &p) { startOf(p, Gather).combiner = Combiner::Sum; },
     "all_gather with the combiner sum"},
    {"combiner and type",
     [](PlanT &, ProgramT &p) { startOf(p, Start).combiner = Combiner::And; },
     "cannot combine f32 by and"},
    {"axes",
     [](PlanT &, ProgramT &p) { startOf(p, Start).axes = {AxisRef(5, 1, 2)}; },
     "axis number 5 is not in the mesh"},
    {"permutation",
     [](PlanT &, ProgramT &p) {
       startOf(p, Start).kind = CollectiveKind::Permute;
       startOf(p, Start).combiner = Combiner::None;
       startOf(p, Start).permutation = {0, 0};
     },
     "its permutation is not one"},
    {"root",
     [](PlanT &, ProgramT &p) {
       startOf(p, Start).kind = CollectiveKind::Broadcast;
       startOf(p, Start).combiner = Combiner::None;
       startOf(p, Start).root = 2;
     },
     "its root 2 is not in the group of 2"},
    {"in-place gather",
     [](PlanT &, ProgramT &p) {
       startOf(p, Gather).operands = {G};
       p.instructions[Gather]->reads = {G};
     },
     "which only all_reduce allows"},
    {"read before write",
     [](PlanT &, ProgramT &p) {
       std::swap(p.instructions[Dot], p.instructions[Start]);
       p.buffers[Reduced]->first = 0;
     },
     "reads buffer 2 before anything was written"},
    {"read before wait",
     [](PlanT &, ProgramT &p) {
       std::swap(p.instructions[WaitStart], p.instructions[Update]);
       p.buffers[NewW]->first = WaitStart;
       p.buffers[H]->last = p.buffers[Reduced]->last = Update;
       p.buffers[Index]->first = WaitStart;
       std::swap(p.instructions[WaitGather], p.instructions[GroupIndex]);
       p.buffers[Index]->first = WaitGather;
     },
     "before the wait for the collective of instruction"},
    {"operand overwritten in flight",
     [](PlanT &, ProgramT &p) {
       p.instructions[Kernel]->op.AsLaunch()->args = {X, H};
       p.instructions[Kernel]->writes = {H};
     },
     "overwrites buffer 2 while a collective in flight still sends it"},
    {"result overwritten in flight",
     [](PlanT &, ProgramT &p) {
       p.instructions[Kernel]->op.AsLaunch()->args = {X, Reduced};
       p.instructions[Kernel]->writes = {Reduced};
     },
     "while the collective of instruction 2 fills it"},
    {"argument overwritten",
     [](PlanT &, ProgramT &p) {
       p.instructions[Update]->op.AsLaunch()->args = {
           W, G, Partial, Reduced, Index, NewW, X};
       p.instructions[Update]->writes = {NewW, X};
       p.buffers[X]->last = Update;
     },
     "overwrites the argument in buffer 1"},
    {"event reused in flight",
     [](PlanT &, ProgramT &p) { startOf(p, Start).event = 0; },
     "event 0 is still in use by instruction 1"},
    {"wait without start",
     [](PlanT &, ProgramT &p) {
       p.num_events = 3;
       p.instructions[WaitStart]->op.AsWait()->event = 2;
     },
     "waits for event 2, which no collective in flight uses"},
    {"start without wait",
     [](PlanT &, ProgramT &p) {
       p.instructions[WaitStart]->op = p.instructions[GroupIndex]->op;
       p.instructions[WaitStart]->writes = {Index};
       p.buffers[Index]->first = WaitStart;
       p.instructions[Update]->op.AsLaunch()->args = {W, G, Partial, Index,
                                                      NewW};
       p.instructions[Update]->reads = {W, G, Partial, Index};
     },
     "the collective is never waited for"},
    {"argument type",
     [](PlanT &, ProgramT &p) {
       p.arguments[1]->tensor->type = ElementType::Invalid;
     },
     "arg1 'x' has no element type"},
    {"collective type",
     [](PlanT &, ProgramT &p) {
       startOf(p, Start).type = ElementType::Invalid;
     },
     "has no element type"},
    {"sharding rank",
     [](PlanT &, ProgramT &p) {
       p.arguments[1]->tensor->sharding->dims.pop_back();
     },
     "of rank 2 has a sharding of 1 dimensions"},
    {"result index", [](PlanT &, ProgramT &p) { p.results[0]->buffer = 99; },
     "out0 is in buffer 99 of 8"},
    {"product over its operand",
     [](PlanT &, ProgramT &p) { gemmOf(p).c = gemmOf(p).a; },
     "a matrix product cannot write its operand"},
    {"overlapping products",
     [](PlanT &, ProgramT &p) {
       gemmOf(p).batch = 2;
       gemmOf(p).m = 2;
       gemmOf(p).stride_c = 1;
     },
     "matrix C's batches overlap: stride 1, extent 8"},
    {"lifetime of a result in flight",
     [](PlanT &, ProgramT &p) { p.buffers[Reduced]->last = Kernel; },
     "completes buffer 5 outside its lifetime"},
    {"id used twice", [](PlanT &, ProgramT &p) { startOf(p, Start).id = 0; },
     "collective id 0 is used twice"},
};

class VerifyMutation : public testing::TestWithParam<PlanFault> {};

TEST_P(VerifyMutation, IsRefused) { expectRefused(*goodPlan(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, VerifyMutation, testing::ValuesIn(mutations),
                         faultName);

TEST(VerifyPlan, GoodPlanPasses) {
  EXPECT_EQ(verifyPlan(*goodPlan()), std::vector<std::string>());
}

TEST(VerifyPlan, InPlaceUpdatePasses) {
  auto plan = goodPlan();
  ProgramT &p = programOf(*plan);
  p.results[0]->buffer = W;
  p.instructions[Update]->writes = {W};
  p.instructions[Update]->op.AsLaunch()->args = {W,       G,     Partial,
                                                 Reduced, Index, W};
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
}

// Buffers, order and sizes are all right; only the result is another.
TEST(VerifyPlan, OtherComputationIsRefused) {
  auto refused = [](const std::function<void(ProgramT &)> &change) {
    auto plan = goodPlan();
    change(programOf(*plan));
    std::vector<std::string> problems = verifyPlan(*plan);
    return problems.size() == 1 &&
           problems[0].find("out0 'w' is not computed by the operations that "
                            "the compiled program has for it") !=
               std::string::npos;
  };
  EXPECT_TRUE(refused([](ProgramT &p) {
    std::swap(p.instructions[Update]->op.AsLaunch()->args[2],
              p.instructions[Update]->op.AsLaunch()->args[3]);
  }));
  EXPECT_TRUE(refused(
      [](ProgramT &p) { p.instructions[Update]->op.AsLaunch()->kernel = 0; }));
  EXPECT_TRUE(
      refused([](ProgramT &p) { startOf(p, Start).combiner = Combiner::Max; }));
  EXPECT_TRUE(refused([](ProgramT &p) { p.results[0]->value = 0; }));
  EXPECT_TRUE(refused([](ProgramT &p) { p.results[0]->alias = -1; }));
  // An order that computes the same is as good.
  auto plan = goodPlan();
  ProgramT &p = programOf(*plan);
  std::swap(p.instructions[Gather], p.instructions[Start]);
  p.buffers[G]->first = Start;
  p.buffers[Reduced]->first = Gather;
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
}

TEST(VerifyPlan, MessagesNameTheSource) {
  auto plan = goodPlan();
  gemmOf(programOf(*plan)).m = 5;
  EXPECT_NE(verifyPlan(*plan)[0].find("class 'all', entry 'main', instruction "
                                      "0 (dot, at \"step.py\":7:3)"),
            std::string::npos);
}

TEST(VerifyPlan, PassThroughOfATakenArgumentIsRefused) {
  auto plan = goodPlan();
  ProgramT &p = programOf(*plan);
  p.buffers[W]->last = Update;
  p.results.push_back(std::make_unique<ResultT>(*p.results[0]));
  p.results[1]->buffer = W;
  p.results[1]->alias = -1;
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("copy it first"), std::string::npos);
}

TEST(VerifyPlan, LargeProgramsAreCheckedQuickly) {
  TestPlan b({{"data", 2}});
  uint32_t at = b.argument("x", {16}, {});
  for (int i = 0; i < 20000; ++i) {
    uint32_t next = b.buffer(64);
    b.copy(at, next);
    at = next;
  }
  b.result("y", at, {16}, {});
  EXPECT_EQ(verifyPlan(*b.finish()), std::vector<std::string>());
}

} // namespace
