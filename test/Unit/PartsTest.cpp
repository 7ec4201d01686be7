//===- PartsTest.cpp - Arrays that ranks hold in parts --------------------===//
//
// A pipeline whose parameters are rows of one array: the session scatters and
// gathers them, and the verifier refuses parts that are not the array.
//
//===----------------------------------------------------------------------===//

#include "PipelineSession.h"
#include "PlanFault.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/Dataflow.h"

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

constexpr uint32_t stages = 3;

Pipeline shape() {
  Pipeline made;
  made.ranks = stages;
  return made;
}

template <typename Visit> void forEachPart(PlanT &plan, Visit visit) {
  for (uint32_t stage = 0; stage < stages; ++stage) {
    ProgramT &program = *plan.classes[stage]->programs[0];
    visit(stage, *program.arguments[0]->tensor);
    visit(stage, *program.results.back()->tensor);
  }
}

/// Stage s's parameter is rows [s * width, (s + 1) * width) of "arg0", its next
/// value the same of "out1".
std::unique_ptr<PlanT> stackedPlan() {
  Pipeline pipeline = shape();
  std::unique_ptr<PlanT> plan = pipelinePlan(pipeline);
  plan->classes[0]->programs[0]->arguments[1]->tensor->index_name = "arg1";
  forEachPart(*plan, [&](uint32_t stage, TensorT &tensor) {
    bool isArgument = tensor.index_name.rfind("arg", 0) == 0;
    tensor.index_name = isArgument ? "arg0" : "out1";
    tensor.name = "w";
    tensor.global_shape = {stages * pipeline.width};
    tensor.first_row = stage * pipeline.width;
    tensor.rows = pipeline.width;
  });
  std::vector<ClassResults> numbers = resultNumbers(*plan, 0);
  for (uint32_t stage = 0; stage < stages; ++stage) {
    ProgramT &program = *plan->classes[stage]->programs[0];
    for (size_t i = 0; i < program.results.size(); ++i)
      program.results[i]->value = numbers[stage].numbers[i];
  }
  return plan;
}

std::vector<float> joined(const std::vector<std::vector<float>> &rows) {
  std::vector<float> all;
  for (const std::vector<float> &one : rows)
    all.insert(all.end(), one.begin(), one.end());
  return all;
}

TEST(Parts, GoThroughASessionAsOneArray) {
  PipelineInputs inputs(shape());
  auto session = rt::Session::create(stackedPlan(), {});
  ASSERT_TRUE(session.ok()) << session.status().message();
  ASSERT_EQ((*session)->arguments(0).size(), 2u);
  ASSERT_EQ((*session)->results(0).size(), 2u);
  std::vector<float> all = joined(inputs.parameters);
  ASSERT_TRUE((*session)->setArgument(0, 0, Values(all)).ok());
  ASSERT_TRUE((*session)->setArgument(0, 1, Values(inputs.rows)).ok());
  rt::ArrayCopy before(*(*session)->arguments(0)[0]->tensor);
  ASSERT_TRUE((*session)->readArgument(0, 0, before).ok());
  ASSERT_EQ(before.bytes().size(), all.size() * sizeof(float));
  EXPECT_EQ(
      std::memcmp(before.bytes().data(), all.data(), before.bytes().size()), 0);
  ASSERT_TRUE((*session)->step(0).ok());
  auto want = pipelineStep(shape(), inputs.rows, inputs.parameters);
  want.erase(want.begin()); // the loss
  std::vector<float> expected = joined(want), got = resultOf(**session, 1);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5) << "element " << i;
}

TEST(Parts, SayTheirRows) {
  std::unique_ptr<PlanT> plan = stackedPlan();
  EXPECT_EQ(rowsText(*plan->classes[1]->programs[0]->arguments[0]->tensor),
            "4:8");
  EXPECT_EQ(rowsText(*plan->classes[0]->programs[0]->arguments[1]->tensor), "");
}

class BadParts : public testing::TestWithParam<PlanFault> {};

TEST_P(BadParts, AreRefused) {
  std::unique_ptr<PlanT> plan = stackedPlan();
  ASSERT_EQ(verifyPlan(*plan), std::vector<std::string>());
  expectRefused(*plan, GetParam());
}

const PlanFault faults[] = {
    {"gap at the end",
     [](PlanT &plan, ProgramT &) {
       forEachPart(
           plan, [](uint32_t, TensorT &tensor) { tensor.global_shape = {15}; });
     },
     "arg0 'w': no class has row 12 of its 15"},
    {"gap between",
     [](PlanT &plan, ProgramT &) {
       forEachPart(plan, [](uint32_t stage, TensorT &tensor) {
         tensor.global_shape = {13};
         tensor.first_row += stage == 2;
       });
     },
     "arg0 'w': no class has row 8 of its 13"},
    {"overlap",
     [](PlanT &plan, ProgramT &) {
       forEachPart(plan, [](uint32_t stage, TensorT &tensor) {
         tensor.first_row -= stage == 1;
       });
     },
     "has rows 3:7, which overlap rows 0:4 of class"},
    {"part of another array",
     [](PlanT &plan, ProgramT &) {
       forEachPart(plan, [](uint32_t stage, TensorT &tensor) {
         tensor.global_shape = {stage == 1 ? 16u : 12u};
       });
     },
     "is of an array 16xf32, in class"},
    {"rows past the end",
     [](PlanT &plan, ProgramT &) {
       forEachPart(plan, [](uint32_t stage, TensorT &tensor) {
         tensor.first_row += stage == 2;
       });
     },
     "is rows 9:13 of 12xf32, which has no such rows"},
    {"first row without rows",
     [](PlanT &, ProgramT &program) {
       program.arguments[1]->tensor->first_row = 1;
     },
     "which has no such rows"},
    {"rows that are not the buffer",
     [](PlanT &, ProgramT &program) { program.arguments[0]->tensor->rows = 3; },
     "has the local shape 4xf32, its rows and sharding give 3xf32"},
    {"next value of other rows",
     [](PlanT &, ProgramT &program) {
       program.results.back()->tensor->first_row = 4;
     },
     "their layouts differ"},
    {"argument of other rows",
     [](PlanT &plan, ProgramT &) {
       forEachPart(plan, [](uint32_t stage, TensorT &tensor) {
         tensor.first_row = stage == 0 ? 4 : stage == 1 ? 0 : 8;
       });
     },
     "is not computed by the operations that the compiled program has for it"},
};

INSTANTIATE_TEST_SUITE_P(All, BadParts, testing::ValuesIn(faults), faultName);

} // namespace
