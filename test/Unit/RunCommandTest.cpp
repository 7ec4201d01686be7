//===- RunCommandTest.cpp - The command `run` -----------------------------===//
//
// Inputs, outputs, comparison, batches, report and exit codes on a small plan
// over four ranks: w' = w + sum over all rows of x; loss = w'[0].
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "TestPlan.h"

#include "partopt-rt/runtime.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"
#include "runtime/io/Safetensors.h"
#include "runtime/run/RunCommand.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace partopt;
using namespace partopt::rt;
using plan::ElementType;
using test::TestPlan;

namespace {

/// w[3] param, x[6,3] batch by rows, t scalar i32. `parts` ranks.
std::shared_ptr<plan::PlanT> samplePlan(uint32_t parts) {
  TestPlan b({{"data", parts}});
  plan::AxisList data = {b.axis("data")};
  uint32_t w =
      b.argument("params['w']", {3}, {}, ElementType::F32, plan::Role::Param);
  uint32_t x = b.argument("x", {6, 3}, {data});
  uint32_t t = b.argument("t", {}, {}, ElementType::I32, plan::Role::Scalar);
  uint32_t rows = b.buffer(4), part = b.buffer(12), sum = b.buffer(12);
  uint32_t next = b.buffer(12), loss = b.buffer(4), same = b.buffer(4);
  uint64_t local = (6 + parts - 1) / parts;
  b.axisIndex(data, rows);
  b.launch(0, {x, rows}, {part});
  b.start(plan::CollectiveKind::AllReduce, data, {part}, {sum}, {3},
          plan::Combiner::Sum);
  b.wait(0);
  b.launch(1, {w, sum}, {next, loss});
  b.copy(t, same);
  b.result("['w']", next, {3}, {}, 0);
  b.result("loss", loss, {}, {});
  b.result("t", same, {}, {}, -1, ElementType::I32);
  std::string n = std::to_string(local);
  b.plan().classes[0]->kernels = test::compileKernels(
      "void rows(void **a) { float *x = a[0], *o = a[2]; int r = *(int *)a[1];"
      "  int n = 6 - r * " +
          n + "; if (n > " + n + ") n = " + n +
          ";"
          "  o[0] = o[1] = o[2] = 0;"
          "  for (int i = 0; i < n; ++i) for (int j = 0; j < 3; ++j)"
          "    o[j] += x[i * 3 + j]; }"
          "void add(void **a) { float *w = a[0], *s = a[1], *o = a[2], *l = "
          "a[3];"
          "  for (int j = 0; j < 3; ++j) o[j] = w[j] + s[j]; l[0] = o[0]; }",
      {"rows", "add"});
  return std::shared_ptr<plan::PlanT>(b.finish());
}

struct NamedArray {
  std::string name;
  ElementType type;
  std::vector<uint64_t> shape;
  std::vector<float> values; // converted for I32
};

class RunCommandTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "run." + std::to_string(getpid()) + "/";
    mkdir(folder.c_str(), 0755);
  }
  void TearDown() override {
    ASSERT_EQ(std::system(("rm -r '" + folder + "'").c_str()), 0);
  }

  std::string write(const std::string &name,
                    const std::vector<NamedArray> &arrays) {
    std::vector<plan::TensorT> tensors(arrays.size());
    std::vector<const plan::TensorT *> pointers;
    std::vector<std::string> names;
    for (size_t i = 0; i < arrays.size(); ++i) {
      tensors[i].type = arrays[i].type;
      tensors[i].global_shape = arrays[i].shape;
      pointers.push_back(&tensors[i]);
      names.push_back(arrays[i].name);
    }
    auto writer = SafetensorsWriter::create(folder + name, pointers, names);
    EXPECT_TRUE(writer.ok());
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::vector<int32_t> whole;
      if (arrays[i].type == ElementType::I32)
        whole.assign(arrays[i].values.begin(), arrays[i].values.end());
      const void *data = arrays[i].type == ElementType::I32
                             ? static_cast<const void *>(whole.data())
                             : arrays[i].values.data();
      (*writer)->sink(i).write(0, arrays[i].values.size(),
                               static_cast<const uint8_t *>(data));
    }
    EXPECT_TRUE((*writer)->commit().ok());
    return folder + name;
  }

  NamedArray w() { return {"arg0", ElementType::F32, {3}, {1, 2, 3}}; }
  NamedArray x() {
    std::vector<float> values(18);
    for (int i = 0; i < 18; ++i)
      values[i] = static_cast<float>(i);
    return {"arg1", ElementType::F32, {6, 3}, values}; // sums 45, 51, 57
  }
  NamedArray t() { return {"t", ElementType::I32, {}, {5}}; }
  std::vector<NamedArray> results() {
    return {{"out0", ElementType::F32, {3}, {46, 53, 60}},
            {"out1", ElementType::F32, {}, {46}},
            {"out2", ElementType::I32, {}, {5}}};
  }

  /// Runs with the options; text of both streams in `text`.
  int run(const RunOptions &options, uint32_t parts = 4,
          const RunExtras &extras = {}) {
    std::ostringstream out;
    int code = runPlan(samplePlan(parts), options, out, out, extras);
    text = out.str();
    return code;
  }

  void expectText(const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }

  std::string folder, text;
};

TEST_F(RunCommandTest, ExpectedResultsOnAnyNumberOfRanks) {
  RunOptions options;
  options.inputs = write("in", {w(), x(), t()});
  options.expect = write("want", results());
  for (uint32_t parts : {1, 2, 3, 4, 8}) { // uneven, and empty shards
    EXPECT_EQ(run(options, parts), 0) << text;
    expectText("step 0  loss 46");
    expectText("all 3 results equal");
  }
}

TEST_F(RunCommandTest, MismatchesAreListed) {
  RunOptions options;
  options.inputs = write("in", {w(), x(), t()});
  std::vector<NamedArray> wrong = results();
  wrong[0].values[1] = 54;
  options.expect = write("want", wrong);
  EXPECT_EQ(run(options), 1);
  expectText("out0 '['w']' 3xf32: 1 of 3 elements differ; worst at [1]: got "
             "53, expected 54, difference 1");
  expectText("error: 1 of 3 results differ");
  options.tolerance.relative = 0.1;
  EXPECT_EQ(run(options), 0);
  wrong[0].values[1] = NAN;
  options.expect = write("want2", wrong);
  EXPECT_EQ(run(options), 1);
}

TEST_F(RunCommandTest, OutputsAreWholeArraysAndStepsFeedBack) {
  RunOptions options;
  options.inputs = write("in", {w(), x(), t()});
  options.outputs = folder + "out";
  options.steps = 3;
  EXPECT_EQ(run(options), 0) << text;
  expectText("step 2  loss 136");
  options.inputs.clear();
  options.expect.clear();
  auto file = SafetensorsFile::open(folder + "out");
  ASSERT_TRUE(file.ok());
  float values[3];
  std::memcpy(values, (*file)->find("out0")->data, 12);
  EXPECT_EQ(values[0], 136);
  EXPECT_EQ(values[2], 3 + 3 * 57);
}

TEST_F(RunCommandTest, BatchesPerStep) {
  NamedArray second = x();
  for (float &value : second.values)
    value = 1;
  mkdir((folder + "b").c_str(), 0755);
  write("b/step10.safetensors", {second});
  write("b/step9.safetensors", {x()});
  RunOptions options;
  options.inputs = write("in", {w(), t()}); // x comes with the batches
  options.batches = folder + "b";
  options.steps = 3;
  EXPECT_EQ(run(options), 0) << text;
  expectText("step 0  loss 46");
  expectText("step 1  loss 52"); // 46 + 6 rows of 1
  expectText("step 2  loss 97"); // the first file again
  options.batches =
      folder + "b/step10.safetensors," + folder + "b/step9.safetensors";
  options.steps = 1;
  EXPECT_EQ(run(options), 0);
  expectText("step 0  loss 7");
  options.batches = "random:3";
  EXPECT_EQ(run(options), 0);
  options.batches = write("bad", {w()});
  EXPECT_EQ(run(options), 2);
  expectText("the model keeps argument arg0 'params['w']' of 3xf32 (at "
             "\"step.py\":7:3) from step to step");
  options.batches = folder + "nothing";
  EXPECT_EQ(run(options), 2);
}

TEST_F(RunCommandTest, RandomInputsDoNotDependOnTheSharding) {
  RunOptions options;
  options.inputs = "random:7";
  options.outputs = folder + "one";
  EXPECT_EQ(run(options, 1), 0) << text;
  options.expect = folder + "one";
  options.outputs.clear();
  for (uint32_t parts : {2, 4, 8})
    EXPECT_EQ(run(options, parts), 0) << text;
  options.inputs = "random:8";
  EXPECT_EQ(run(options), 1);
  options.inputs = "random:x";
  EXPECT_EQ(run(options), 2);
}

TEST_F(RunCommandTest, BadArrays) {
  struct {
    std::vector<NamedArray> arrays;
    const char *message;
  } cases[] = {
      {{w(), x()},
       "has no array for argument arg2 't' of i32 (at \"step.py\":7:3): add "
       "it under 'arg2' or 't'"},
      {{w(), x(), t(), {"bias", ElementType::F32, {2}, {0, 0}}},
       "array 'bias' (2xf32) in"},
      {{w(), {"x", ElementType::F32, {3, 3}, std::vector<float>(9)}, t()},
       "is 3x3xf32, another shape than the model's argument arg1 'x' of "
       "6x3xf32 (at \"step.py\":7:3)"},
      {{{"params['w']", ElementType::I32, {3}, {1, 2, 3}}, x(), t()},
       "is 3xi32, another element type than the model's argument arg0"},
      {{w(), x(), t(), {"arg2", ElementType::I32, {}, {1}}},
       "are both argument arg2 't'"},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    RunOptions options;
    options.inputs = write("in" + std::to_string(i), cases[i].arrays);
    options.outputs = folder + "out";
    EXPECT_EQ(run(options), 2);
    expectText("error: ");
    expectText(cases[i].message);
    EXPECT_NE(access(options.outputs.c_str(), F_OK), 0);
  }
  RunOptions options;
  EXPECT_EQ(run(options), 2);
  expectText("no inputs given, but the model takes ");
  options.inputs = write("good", {w(), x(), t()});
  options.expect = write("short", {results()[0], results()[1]});
  EXPECT_EQ(run(options), 2);
  expectText("has no array for result out2");
  std::vector<NamedArray> extra = results();
  extra.push_back({"out9", ElementType::F32, {}, {0}});
  options.expect = write("long", extra);
  EXPECT_EQ(run(options), 2);
  expectText("is not a result of the model");
  options.expect.clear();
  options.entry = "decode";
  EXPECT_EQ(run(options), 2);
  expectText("the plan has no entry 'decode', only: main");
  options.entry = "main";
  options.outputs = "/nonexistent/out";
  EXPECT_EQ(run(options), 2);
}

TEST_F(RunCommandTest, FailingRanksExitWithFour) {
  RunOptions options;
  options.inputs = "random:1";
  options.outputs = folder + "out";
  options.session.faults.push_back(*parseFault("throw:2@1"));
  EXPECT_EQ(run(options), 4);
  expectText("error: rank 2 failed at step 0, instruction 1 (kernel, at "
             "\"step.py\":7:3): provoked fault");
  EXPECT_NE(access(options.outputs.c_str(), F_OK), 0);
}

TEST_F(RunCommandTest, ReportHoldsPlanAndMeasurements) {
  RunOptions options;
  options.inputs = "random:1";
  options.steps = 2;
  options.reportJson = folder + "report.json";
  options.trace = folder + "trace.json";
  options.session.trace = true;
  nlohmann::ordered_json more = {{"compile", {{"total_s", 1.5}}}};
  RunExtras extras;
  extras.report = &more;
  EXPECT_EQ(run(options, 4, extras), 0) << text;
  std::ifstream file(options.reportJson);
  nlohmann::json report = nlohmann::json::parse(file);
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["devices"], 4);
  EXPECT_EQ(report["mesh"][0]["axis"], "data");
  EXPECT_EQ(report["arguments"][0]["role"], "param");
  EXPECT_EQ(report["arguments"][1]["bytes_global"], 72);
  EXPECT_EQ(report["arguments"][1]["bytes_per_device"], 24);
  EXPECT_EQ(report["collectives"][0]["kind"], "all_reduce");
  EXPECT_EQ(report["collectives"][0]["axes"][0], "data");
  EXPECT_EQ(report["collectives"][0]["payload_bytes"], 12);
  EXPECT_EQ(report["collectives"][0]["group_size"], 4);
  EXPECT_EQ(report["totals"]["all_reduce"]["count"], 1);
  EXPECT_EQ(report["totals"]["all_reduce"]["wire_bytes"], 18);
  EXPECT_EQ(report["compile"]["total_s"], 1.5);
  EXPECT_EQ(report["measured"]["step_s"].size(), 2u);
  EXPECT_EQ(report["measured"]["collectives_executed"]["all_reduce"], 1);
  uint64_t sent = 0;
  for (const auto &rank : report["measured"]["wire_bytes_sent"])
    sent += rank.get<uint64_t>();
  EXPECT_EQ(sent, 4 * 18u); // the exact counts sum to the formula
  EXPECT_EQ(access(options.trace.c_str(), F_OK), 0);
}

TEST_F(RunCommandTest, CheckComparesWithTheUnpartitionedProgram) {
  RunOptions options;
  options.inputs = "random:5";
  options.steps = 3;
  RunExtras extras;
  extras.reference = samplePlan(1);
  extras.longestReduction = 6;
  EXPECT_EQ(run(options, 4, extras), 0) << text;
  expectText("all 3 results equal the unpartitioned program within 1.17e-06");
  auto wrong = samplePlan(1);
  wrong->classes[0]->programs[0]->instructions[1]->op.AsLaunch()->args[0] = 0;
  wrong->classes[0]->programs[0]->instructions[1]->reads[0] = 0;
  test::recordDataflow(*wrong);
  extras.reference = wrong;
  EXPECT_EQ(run(options, 4, extras), 1);
  expectText("differ from the unpartitioned program");
}

TEST_F(RunCommandTest, OptionsAreParsed) {
  const char *argv[] = {"tool", "--inputs", "a",       "--steps=3", "--rtol",
                        "1e-3", "--quiet",  "--trace", "t",         "--steps",
                        "0",    "--atol",   "--batch", "x"};
  RunOptions options;
  Status status;
  int at = 1;
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(parseRunOption(14, argv, at, options, status));
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(options.inputs, "a");
  EXPECT_EQ(options.steps, 3u);
  EXPECT_EQ(options.tolerance.relative, 1e-3);
  EXPECT_TRUE(options.quiet && options.session.trace);
  EXPECT_TRUE(parseRunOption(14, argv, at, options, status));
  EXPECT_EQ(status.message(), "--steps does not take the value '0': expected a "
                              "whole number of at least 1");
  at = 11;
  EXPECT_TRUE(parseRunOption(12, argv, at, options, status));
  EXPECT_EQ(status.message(), "--atol needs a value");
  at = 12;
  EXPECT_FALSE(parseRunOption(14, argv, at, options, status));
}

TEST_F(RunCommandTest, CInterface) {
  std::string path = folder + "c.plan";
  ASSERT_EQ(plan::writePlanFile(*samplePlan(4), path), "");
  partopt_session *session = nullptr;
  EXPECT_EQ(partopt_session_load("/nonexistent", 0, &session), 2);
  EXPECT_NE(std::string(partopt_last_error()).find("cannot read"),
            std::string::npos);
  ASSERT_EQ(partopt_session_load(path.c_str(), 30, &session), 0);
  int entry = partopt_find_entry(session, "main");
  ASSERT_EQ(entry, 0);
  EXPECT_EQ(partopt_find_entry(session, "x"), -1);
  ASSERT_EQ(partopt_num_arguments(session, entry), 3u);
  EXPECT_STREQ(partopt_argument_name(session, entry, 0), "params['w']");
  EXPECT_EQ(partopt_argument_name(session, entry, 9), nullptr);
  float weights[3] = {1, 2, 3};
  std::string inputs = write("in", {x(), t()});
  ASSERT_EQ(partopt_set_inputs(session, entry, inputs.c_str()), 0);
  EXPECT_EQ(partopt_set_argument(session, entry, 0, weights, 8), 2);
  ASSERT_EQ(partopt_set_argument(session, entry, 0, weights, 12), 0);
  ASSERT_EQ(partopt_step(session, entry), 0);
  EXPECT_EQ(partopt_step(session, 5), 2);
  ASSERT_EQ(partopt_result_bytes(session, entry, 0), 12u);
  ASSERT_EQ(partopt_get_result(session, entry, 0, weights, 12), 0);
  EXPECT_EQ(weights[1], 53);
  EXPECT_EQ(partopt_check_counts(session), 0);
  EXPECT_GT(partopt_wire_bytes(session, 0), 0u);
  EXPECT_GT(partopt_memory_bytes(session, 3), 0u);
  partopt_session_free(session);
}

} // namespace
