//===- CheckReferenceTest.cpp - What --check excuses and what not ---------===//
//
// A first step of Adam over four ranks, m' = 0.9 m + 0.1 g and w' = w - 0.001 g
// / |g|, whose gradient g, the sum of all rows of x, is 0 in column 0 but for
// rounding: there the ranks' step goes one way and the single device's another.
// Faults that a partitioner could make must be found all the same.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "TestPlan.h"

#include "runtime/io/Safetensors.h"
#include "runtime/run/RunCommand.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace partopt;
using namespace partopt::rt;
using test::TestPlan;

namespace {

constexpr uint32_t kColumns = 6, kRows = 8;

/// What the kernels make: C expressions of the gradient sum `s[j]`, of this
/// rank's part of it `p[j]`, and of the parameter.
struct Step {
  std::string gradient = "s[j]";
  std::string update = "w[j] - 0.001f * g / (__builtin_fabsf(g) + 1e-12f)";
};

std::shared_ptr<plan::PlanT> adam(uint32_t parts, const Step &step) {
  TestPlan b({{"data", parts}});
  plan::AxisList data = {b.axis("data")};
  uint32_t w = b.argument("w", {kColumns}, {}, plan::ElementType::F32,
                          plan::Role::Param);
  uint32_t m = b.argument("m", {kColumns}, {}, plan::ElementType::F32,
                          plan::Role::Param);
  uint32_t x = b.argument("x", {kRows, kColumns}, {data});
  constexpr uint64_t bytes = kColumns * sizeof(float);
  uint32_t part = b.buffer(bytes), sum = b.buffer(bytes);
  uint32_t nextW = b.buffer(bytes), nextM = b.buffer(bytes);
  b.launch(0, {x}, {part});
  b.start(plan::CollectiveKind::AllReduce, data, {part}, {sum}, {kColumns},
          plan::Combiner::Sum);
  b.wait(0);
  b.launch(1, {w, m, part, sum}, {nextW, nextM});
  b.result("w", nextW, {kColumns}, {}, 0);
  b.result("m", nextM, {kColumns}, {}, 1);
  std::string rows = std::to_string(kRows / parts);
  b.plan().classes[0]->kernels = test::compileKernels(
      "void part(void **a) { float *x = a[0], *o = a[1];"
      "  for (int j = 0; j < 6; ++j) { o[j] = 0;"
      "    for (int i = 0; i < " +
          rows +
          "; ++i) o[j] += x[i * 6 + j]; } }"
          "void step(void **a) { float *w = a[0], *m = a[1], *p = a[2],"
          "    *s = a[3], *nextW = a[4], *nextM = a[5];"
          "  for (int j = 0; j < 6; ++j) { float g = " +
          step.gradient + "; nextW[j] = " + step.update +
          "; nextM[j] = 0.9f * m[j] + 0.1f * g; } }",
      {"part", "step"});
  return std::shared_ptr<plan::PlanT>(b.finish());
}

/// Allows rounding relative to the value alone.
class OwnRounding : public ToleranceModel {
public:
  void setArgument(uint64_t /*step*/, size_t /*argument*/,
                   const Magnitude & /*magnitude*/) override {}
  double allowed(uint64_t /*step*/, size_t /*value*/,
                 const Magnitude &magnitude, double relative) override {
    return relative * magnitude.largest;
  }
  void setDifference(uint64_t /*step*/, size_t /*value*/,
                     double /*difference*/) override {}
};

class CheckReferenceTest : public testing::Test {
protected:
  /// Runs the faulty step over four ranks with --check.
  int check(const Step &faulty, uint64_t steps = 1) {
    std::string file = testing::TempDir() + "check." + std::to_string(getpid());
    writeInputs(file);
    RunOptions options;
    options.inputs = file;
    options.steps = steps;
    RunExtras extras;
    extras.reference = adam(1, Step());
    extras.longestReduction = kRows;
    std::ostringstream out;
    int code = runPlan(adam(4, faulty), options, out, out, extras);
    text = out.str();
    std::remove(file.c_str());
    return code;
  }

  /// Compares both results as values of the program.
  ValuesVerdict checkValues(const Step &faulty, uint64_t steps = 1) {
    RunOptions options;
    options.inputs = testing::TempDir() + "values." + std::to_string(getpid());
    writeInputs(options.inputs);
    options.steps = steps;
    RunExtras extras;
    extras.reference = adam(1, Step());
    extras.longestReduction = kRows;
    OwnRounding model;
    ValuesVerdict verdict;
    std::ostringstream out;
    Status status =
        compareValues(adam(4, faulty), extras, 2, model, options, out, verdict);
    EXPECT_TRUE(status.ok()) << status.message();
    std::remove(options.inputs.c_str());
    return verdict;
  }

  bool says(const std::string &part) const {
    return text.find(part) != std::string::npos;
  }

  std::string text;

private:
  /// Column 0 of x sums to 0, the others to 1, 2, … in unequal shares.
  static void writeInputs(const std::string &path) {
    const float zero[kRows] = {0.1f, 0.2f, 0.3f,  -0.6f,
                               0.7f, 0.8f, -1.1f, -0.4f};
    std::vector<float> w(kColumns), m(kColumns, 0), x;
    for (uint32_t j = 0; j < kColumns; ++j)
      w[j] = 0.01f * float(j);
    for (uint32_t i = 0; i < kRows; ++i)
      for (uint32_t j = 0; j < kColumns; ++j)
        x.push_back(j == 0 ? zero[i] : float(j * (i + 1)) / 36);
    std::vector<plan::TensorT> tensors(3);
    std::vector<const plan::TensorT *> pointers;
    for (plan::TensorT &tensor : tensors) {
      tensor.type = plan::ElementType::F32;
      tensor.global_shape = {kColumns};
      pointers.push_back(&tensor);
    }
    tensors[2].global_shape = {kRows, kColumns};
    auto writer =
        SafetensorsWriter::create(path, pointers, {"arg0", "arg1", "arg2"});
    ASSERT_TRUE(writer.ok());
    size_t number = 0;
    for (const std::vector<float> *values : {&w, &m, &x})
      (*writer)->sink(number++).write(
          0, values->size(), reinterpret_cast<const uint8_t *>(values->data()));
    ASSERT_TRUE((*writer)->commit().ok());
  }
};

TEST_F(CheckReferenceTest, AnUpdateThatIsAllRoundingIsExcused) {
  EXPECT_EQ(check(Step()), 0) << text;
  EXPECT_TRUE(says("out0 'w' 6xf32: 1 of 6 elements differ by up to 0.00"))
      << text;
  EXPECT_TRUE(says("as rounding alone moves them")) << text;
  EXPECT_FALSE(says("out1")) << text;
  EXPECT_EQ(check(Step(), 3), 0) << text;
  EXPECT_TRUE(says("as rounding alone moves them (step ")) << text;
}

TEST_F(CheckReferenceTest, FaultsOfTheGradientAreFound) {
  for (const char *gradient :
       {"2 * s[j]",                        // scaled
        "4 * p[j]",                        // one rank's part only
        "p[j]",                            // not reduced
        "s[j] / 4",                        // a mean in place of a sum
        "j == 5 ? 1.01f * s[j] : s[j]"}) { // one element, by a hundredth
    Step step;
    step.gradient = gradient;
    EXPECT_EQ(check(step), 1) << gradient << "\n" << text;
    EXPECT_TRUE(says("out1 'm' 6xf32: ")) << text;
    EXPECT_EQ(check(step, 3), 1) << gradient << "\n" << text;
  }
}

TEST_F(CheckReferenceTest, FaultsBesideAnExcusedElementAreFound) {
  Step good;
  for (const std::string &update :
       {std::string("w[j]"),                         // no update
        "j == 5 ? w[j] : " + good.update,            // none of one element
        "j == 4 ? w[j] + 0.0001f : " + good.update,  // a wrong number
        "2 * (" + good.update + ")",                 // scaled
        "j == 0 ? w[j] + 0.05f : " + good.update}) { // too far, even for noise
    Step step;
    step.update = update;
    EXPECT_EQ(check(step), 1) << update << "\n" << text;
    EXPECT_TRUE(says("error: 1 of 2 results differ")) << text;
    EXPECT_EQ(check(step, 3), 1) << update << "\n" << text;
  }
}

TEST_F(CheckReferenceTest, AValueThatIsAllRoundingIsExcused) {
  for (uint64_t steps : {1, 3}) {
    ValuesVerdict verdict = checkValues(Step(), steps);
    EXPECT_FALSE(verdict.differs);
    ASSERT_EQ(verdict.moved.size(), 2u);
    EXPECT_EQ(verdict.moved[0].beyond(), 1u);
    EXPECT_EQ(verdict.moved[1].beyond(), 0u);
  }
}

TEST_F(CheckReferenceTest, TheFirstWrongValueIsFoundBehindOneThatIsExcused) {
  Step step;
  step.gradient = "2 * s[j]"; // which the update, g / |g|, does not show
  ValuesVerdict verdict = checkValues(step);
  EXPECT_EQ(verdict.differs, size_t(1));
  EXPECT_EQ(verdict.difference.mismatches, kColumns - 1);
  EXPECT_EQ(verdict.moved[0].beyond(), 1u);
}

TEST_F(CheckReferenceTest, AWrongElementOfAnExcusedValueIsFound) {
  Step step;
  step.update = "j == 5 ? w[j] : " + step.update;
  ValuesVerdict verdict = checkValues(step, 3);
  EXPECT_EQ(verdict.differs, size_t(0));
  EXPECT_EQ(verdict.difference.step, 0u);
  EXPECT_EQ(verdict.difference.mismatches, 1u);
  EXPECT_EQ(verdict.difference.worstElement, 5u);
}

} // namespace
