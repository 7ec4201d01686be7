//===- VerifyCommunicatorsTest.cpp - Several classes and entries ----------===//
//
// What can go wrong between programs: ranks of two classes that do not run the
// same collectives, waits that wait for each other, state that is not shared.
//
//===----------------------------------------------------------------------===//

#include "GoodPlan.h"
#include "TestPlan.h"

#include "partopt/Plan/VerifyPlan.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

/// Two classes that meet over "data"; class b's program is a copy that a test
/// then changes.
std::unique_ptr<PlanT> twoClasses() {
  auto plan = goodPlan();
  plan->classes.push_back(std::make_unique<RankClassT>(*plan->classes[0]));
  plan->classes[1]->name = "b";
  plan->rank_class = {0, 0, 1, 1};
  return plan;
}

/// Two classes that start a collective over "data" and one over "model" on
/// `secondStream`, before they wait for both.
std::unique_ptr<PlanT> twoCollectives(uint16_t secondStream) {
  TestPlan b({{"data", 2}, {"model", 2}});
  uint32_t x = b.argument("x", {4}, {});
  uint32_t y = b.buffer(16), z = b.buffer(16);
  b.start(CollectiveKind::AllReduce, {b.axis("data")}, {x}, {y}, {4},
          Combiner::Sum);
  b.start(CollectiveKind::AllReduce, {b.axis("model")}, {x}, {z}, {4},
          Combiner::Sum, ElementType::F32, secondStream);
  b.wait(0);
  b.wait(1);
  b.result("y", y, {4}, {});
  b.result("z", z, {4}, {});
  auto plan = b.finish();
  for (auto &buffer : programOf(*plan).buffers)
    buffer->first = 0, buffer->last = 3;
  plan->classes.push_back(std::make_unique<RankClassT>(*plan->classes[0]));
  plan->classes[1]->name = "b";
  plan->rank_class = {0, 1, 1, 0};
  return plan;
}

/// Class b starts the second one first.
void swapStarts(PlanT &plan) {
  auto &instructions = plan.classes[1]->programs[0]->instructions;
  std::swap(instructions[0], instructions[1]);
}

TEST(VerifyCommunicators, EqualClassesPass) {
  EXPECT_EQ(verifyPlan(*twoClasses()), std::vector<std::string>());
}

TEST(VerifyCommunicators, DifferentTypeIsRefused) {
  auto plan = twoClasses();
  startOf(*plan->classes[1]->programs[0], Start).type = ElementType::I32;
  recordDataflow(*plan);
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("runs all_reduce 1 (sum, f32, counts 16)"
                                      " where class 'b'"),
            std::string::npos);
}

TEST(VerifyCommunicators, ClassesThatNeverMeetMayDiffer) {
  auto plan = twoClasses();
  plan->rank_class = {0, 1, 0, 1}; // groups over data are {0,2} and {1,3}
  startOf(*plan->classes[1]->programs[0], Start).type = ElementType::I32;
  recordDataflow(*plan);
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
  auto plan = twoCollectives(0);
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  swapStarts(*plan);
  ASSERT_FALSE(verifyPlan(*plan).empty());
  EXPECT_NE(verifyPlan(*plan)[0].find("the waits are cyclic"),
            std::string::npos);
}

/// Two collectives over different axes on streams of their own, in opposite
/// order: nothing waits for ever on threads, but two kernels may.
TEST(VerifyCollectiveOrder, OppositeStartsOnTwoStreamsAreRefused) {
  auto plan = twoCollectives(1);
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  swapStarts(*plan);
  ASSERT_EQ(verifyPlan(*plan).size(), 1u);
  std::string problem = verifyPlan(*plan)[0];
  EXPECT_NE(problem.find("no order that all ranks follow"), std::string::npos);
  EXPECT_NE(problem.find("starts all_reduce 0 next"), std::string::npos);
  EXPECT_NE(problem.find("starts all_reduce 1 next"), std::string::npos);
  plan->rank_class = {0, 0, 1, 1}; // they meet over "data" alone
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
}

TEST(VerifyKernels, GridsThatNoDeviceTakesAreRefused) {
  auto gpuPlan = [] {
    auto plan = goodPlan();
    KernelObjectT &kernels = *plan->classes[0]->kernels;
    kernels.image.clear();
    kernels.gpu_images.push_back(std::make_unique<GpuImageT>());
    for (const std::string &symbol : kernels.symbols) {
      auto launch = std::make_unique<GpuLaunchT>();
      launch->symbol = symbol;
      launch->grid = {1, 1, 1};
      launch->block = {256, 1, 1};
      kernels.gpu_kernels.push_back(std::make_unique<GpuKernelT>());
      kernels.gpu_kernels.back()->launches.push_back(std::move(launch));
    }
    return plan;
  };
  auto problemOf = [&](auto change) {
    auto plan = gpuPlan();
    change(*plan->classes[0]->kernels);
    std::vector<std::string> problems = verifyPlan(*plan);
    return problems.empty() ? "" : problems[0];
  };
  EXPECT_EQ(problemOf([](KernelObjectT &) {}), "");
  auto says = [&](const char *text, auto change) {
    EXPECT_NE(problemOf(change).find(text), std::string::npos)
        << problemOf(change);
  };
  says("for the host and for a GPU",
       [](KernelObjectT &k) { k.image.assign(4, 0); });
  says("have grids, of", [](KernelObjectT &k) { k.gpu_kernels.pop_back(); });
  says("has no grid",
       [](KernelObjectT &k) { k.gpu_kernels[0]->launches.clear(); });
  says("three extents",
       [](KernelObjectT &k) { k.gpu_kernels[0]->launches[0]->grid = {1}; });
  says("65536 blocks in a dimension", [](KernelObjectT &k) {
    k.gpu_kernels[0]->launches[0]->grid = {1, 65536, 1};
  });
  says("blocks of 2048 threads", [](KernelObjectT &k) {
    k.gpu_kernels[0]->launches[0]->block = {1024, 2, 1};
  });
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

} // namespace
