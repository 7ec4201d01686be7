//===- VerifyPlanTest.cpp - Broken plans are refused ----------------------===//
//
// One good plan, broken in every way that an executor relies on; each must be
// refused with the message that names what is wrong.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/VerifyPlan.h"

#include <functional>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using test::TestPlan;

namespace {

// Buffers of the good plan, and its instructions.
enum { W, X, H, G, Partial, Reduced, Index, NewW };
enum { Dot, Gather, Start, Kernel, WaitGather, WaitStart, Axis, Update };

/// w[8,4] (param, taken by the result), x[8@data,8]; h = x.w; an all_gather of
/// x in flight beside an all_reduce of h; the update reads both.
std::unique_ptr<PlanT> goodPlan() {
  TestPlan b({{"data", 2}, {"model", 2}});
  AxisList data = {b.axis("data")};
  b.argument("w", {8, 4}, {}, ElementType::F32, Role::Param);
  b.argument("x", {8, 8}, {data});
  b.buffer(4 * 4 * 4); // H
  b.buffer(8 * 8 * 4); // G
  b.buffer(4 * 4 * 4); // Partial
  b.buffer(4 * 4 * 4); // Reduced
  b.buffer(4);         // Index
  b.buffer(8 * 4 * 4); // NewW
  b.gemm(X, W, H, 4, 4, 8);
  b.start(CollectiveKind::AllGather, data, {X}, {G}, {32}, Combiner::None,
          ElementType::F32, 1);
  b.start(CollectiveKind::AllReduce, data, {H}, {Reduced}, {16}, Combiner::Sum);
  b.launch(0, {X}, {Partial});
  b.wait(0);
  b.wait(1);
  b.axisIndex(data, Index);
  b.launch(1, {W, G, Partial, Reduced, Index}, {NewW});
  b.result("w", NewW, {8, 4}, {}, 0);
  b.plan().classes[0]->kernels = std::make_unique<KernelObjectT>();
  b.plan().classes[0]->kernels->symbols = {"k0", "k1"};
  return b.finish();
}

ProgramT &programOf(PlanT &plan) { return *plan.classes[0]->programs[0]; }

struct Mutation {
  const char *name;
  std::function<void(PlanT &, ProgramT &)> apply;
  const char *message; // must occur in the first problem
};

CollectiveStartT &startOf(ProgramT &p, size_t index) {
  return *p.instructions[index]->op.AsCollectiveStart();
}

GemmT &gemmOf(ProgramT &p) { return *p.instructions[Dot]->op.AsGemm(); }

const Mutation mutations[] = {
    {"mesh", [](PlanT &plan, ProgramT &) { plan.devices = 5; },
     "the mesh has 4 places but the plan is for 5"},
    {"device_ids",
     [](PlanT &plan, ProgramT &) { plan.device_ids = {0, 0, 1, 2}; },
     "not a permutation"},
    {"rank_class", [](PlanT &plan, ProgramT &) { plan.rank_class[3] = 1; },
     "rank 3 is of class 1"},
    {"entry", [](PlanT &, ProgramT &p) { p.entry = 4; },
     "a program for entry 4"},
    {"loss", [](PlanT &plan, ProgramT &) { plan.entries[0]->loss_result = 3; },
     "the loss is result 3 of 1"},
    {"buffer index",
     [](PlanT &, ProgramT &p) { p.instructions[Axis]->writes = {99}; },
     "writes buffer 99 of 8"},
    {"location", [](PlanT &, ProgramT &p) { p.instructions[Axis]->loc = 9; },
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
    {"no op", [](PlanT &, ProgramT &p) { p.instructions[Axis]->op.Reset(); },
     "no operation that this build knows"},
    {"misaligned", [](PlanT &, ProgramT &p) { p.buffers[G]->offset += 4; },
     "not aligned to 64"},
    {"outside", [](PlanT &, ProgramT &p) { p.buffers[NewW]->offset += 64; },
     "ends outside its region"},
    {"lifetime order", [](PlanT &, ProgramT &p) { p.buffers[G]->last = 99; },
     "no valid lifetime"},
    {"overlap", [](PlanT &, ProgramT &p) { p.buffers[G]->offset = 0; },
     "while both are live"},
    {"peak", [](PlanT &, ProgramT &p) { p.peak_bytes += 64; },
     "the plan says a peak of"},
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
     [](PlanT &, ProgramT &p) { p.results[0]->buffer = X; },
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
       std::swap(p.instructions[WaitGather], p.instructions[Axis]);
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
       p.instructions[WaitStart]->op = p.instructions[Axis]->op;
       p.instructions[WaitStart]->writes = {Index};
       p.buffers[Index]->first = WaitStart;
       p.instructions[Update]->op.AsLaunch()->args = {W, G, Partial, Index,
                                                      NewW};
       p.instructions[Update]->reads = {W, G, Partial, Index};
     },
     "the collective is never waited for"},
    {"id used twice", [](PlanT &, ProgramT &p) { startOf(p, Start).id = 0; },
     "collective id 0 is used twice"},
};

void PrintTo(const Mutation &mutation, std::ostream *out) {
  *out << mutation.name;
}

class VerifyMutation : public testing::TestWithParam<Mutation> {};

TEST_P(VerifyMutation, IsRefused) {
  auto plan = goodPlan();
  GetParam().apply(*plan, programOf(*plan));
  std::vector<std::string> problems = verifyPlan(*plan);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find(GetParam().message), std::string::npos)
      << problems[0];
}

std::string testName(const testing::TestParamInfo<Mutation> &info) {
  std::string name = info.param.name;
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, VerifyMutation, testing::ValuesIn(mutations),
                         testName);

TEST(VerifyPlan, GoodPlanPasses) {
  EXPECT_EQ(verifyPlan(*goodPlan()), std::vector<std::string>());
}

TEST(VerifyPlan, InPlaceUpdatePasses) {
  auto plan = goodPlan();
  ProgramT &p = programOf(*plan);
  p.results[0]->buffer = W;
  p.instructions[Update]->writes = {W};
  p.instructions[Update]->op.AsLaunch()->args = {W, G, Partial, Reduced, Index};
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

/// Two classes that meet over "data"; class b's program is a copy that a test
/// then changes.
std::unique_ptr<PlanT> twoClasses() {
  auto plan = goodPlan();
  plan->classes.push_back(std::make_unique<RankClassT>(*plan->classes[0]));
  plan->classes[1]->name = "b";
  plan->rank_class = {0, 0, 1, 1};
  return plan;
}

TEST(VerifyCommunicators, EqualClassesPass) {
  EXPECT_EQ(verifyPlan(*twoClasses()), std::vector<std::string>());
}

TEST(VerifyCommunicators, DifferentTypeIsRefused) {
  auto plan = twoClasses();
  startOf(*plan->classes[1]->programs[0], Start).type = ElementType::I32;
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("runs all_reduce 1 (sum, f32, counts 16)"
                                      " where class 'b'"),
            std::string::npos);
}

TEST(VerifyCommunicators, ClassesThatNeverMeetMayDiffer) {
  auto plan = twoClasses();
  plan->rank_class = {0, 1, 0, 1}; // groups over data are {0,2} and {1,3}
  startOf(*plan->classes[1]->programs[0], Start).type = ElementType::I32;
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
}

TEST(VerifyCommunicators, AnotherStreamIsRefused) {
  auto plan = twoClasses();
  startOf(*plan->classes[1]->programs[0], Start).stream = 1;
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("on stream 0"), std::string::npos);
}

TEST(VerifyCommunicators, CyclicWaitIsRefused) {
  // Two collectives over different axes share one stream, in opposite order.
  TestPlan b({{"data", 2}, {"model", 2}});
  uint32_t x = b.argument("x", {4}, {});
  uint32_t y = b.buffer(16), z = b.buffer(16);
  b.start(CollectiveKind::AllReduce, {b.axis("data")}, {x}, {y}, {4},
          Combiner::Sum);
  b.start(CollectiveKind::AllReduce, {b.axis("model")}, {x}, {z}, {4},
          Combiner::Sum);
  b.wait(0);
  b.wait(1);
  b.result("y", y, {4}, {});
  b.result("z", z, {4}, {});
  auto plan = b.finish();
  for (auto &buffer : programOf(*plan).buffers)
    buffer->first = 0, buffer->last = 3;
  plan->classes.push_back(std::make_unique<RankClassT>(*plan->classes[0]));
  plan->rank_class = {0, 1, 1, 0};
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  auto &instructions = plan->classes[1]->programs[0]->instructions;
  std::swap(instructions[0], instructions[1]);
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("the waits are cyclic"),
            std::string::npos);
}

TEST(VerifySharedState, EntriesMustAgreeOnResidentArguments) {
  auto plan = goodPlan();
  plan->entries.push_back(std::make_unique<EntryT>(*plan->entries[0]));
  plan->entries[1]->name = "eval";
  auto &programs = plan->classes[0]->programs;
  programs.push_back(std::make_unique<ProgramT>(*programs[0]));
  programs[1]->entry = 1;
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  programs[1]->arguments[1]->tensor->name = "y";
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("are not the same state"),
            std::string::npos);
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
