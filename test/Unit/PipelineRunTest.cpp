//===- PipelineRunTest.cpp - Interleaved programs, run on threads ---------===//
//
// Pipelines of several schedules must train as a plain loop does, and count
// what the plan says; failures end in one message.
//
//===----------------------------------------------------------------------===//

#include "PipelineSession.h"

#include "partopt/Simulate/Simulate.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::rt;
using test::Pipeline;

namespace {

std::unique_ptr<Session> open(const Pipeline &pipeline,
                              const SessionOptions &options = {}) {
  return test::openPipeline(test::pipelinePlan(pipeline), pipeline, options);
}

/// Three steps, each compared with the plain loop.
void expectTrains(const Pipeline &pipeline,
                  const SessionOptions &options = {}) {
  auto session = open(pipeline, options);
  ASSERT_NE(session, nullptr);
  test::PipelineInputs inputs(pipeline);
  for (int step = 0; step < 3; ++step) {
    Status status = session->step(0);
    ASSERT_TRUE(status.ok()) << status.message();
    auto want = test::pipelineStep(pipeline, inputs.rows, inputs.parameters);
    for (size_t i = 0; i < want.size(); ++i) {
      std::vector<float> got = test::resultOf(*session, i);
      ASSERT_EQ(got.size(), want[i].size());
      for (size_t j = 0; j < got.size(); ++j)
        EXPECT_NEAR(got[j], want[i][j], 1e-5 + 1e-4 * std::abs(want[i][j]))
            << "out" << i << ", element " << j;
    }
    inputs.parameters.assign(want.begin() + 1, want.end());
  }
  Status counts = session->checkCounts();
  EXPECT_TRUE(counts.ok()) << counts.message();
}

using Case = std::tuple<const char *, uint32_t, uint32_t>;

class PipelineRun : public testing::TestWithParam<Case> {
protected:
  Pipeline pipeline() const {
    Pipeline made;
    made.schedule = std::get<0>(GetParam());
    made.ranks = std::get<1>(GetParam());
    made.microbatches = std::get<2>(GetParam());
    return made;
  }
};

TEST_P(PipelineRun, TrainsAsALoopDoes) { expectTrains(pipeline()); }

TEST_P(PipelineRun, TrainsWithReplicas) {
  Pipeline replicated = pipeline();
  replicated.replicas = 2;
  expectTrains(replicated);
}

TEST_P(PipelineRun, TrainsHoweverThreadsMeet) {
  SessionOptions options;
  options.jitterMicroseconds = 200;
  Pipeline other = pipeline();
  other.ahead = 2;
  expectTrains(other, options);
  other.ahead = 0;
  expectTrains(other, options);
}

TEST_P(PipelineRun, TrainsWithoutOverlap) {
  for (simulate::Overlap overlap :
       {simulate::Overlap::Off, simulate::Overlap::Late}) {
    SessionOptions options;
    options.machine.overlap = overlap;
    expectTrains(pipeline(), options);
  }
}

std::string caseName(const testing::TestParamInfo<Case> &info) {
  std::string name = std::get<0>(info.param);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name + "_" + std::to_string(std::get<1>(info.param)) + "_" +
         std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(
    All, PipelineRun,
    testing::Combine(testing::Values("gpipe", "1f1b", "zb-h1"),
                     testing::Values(2u, 3u, 4u), testing::Values(4u, 7u)),
    caseName);

TEST(Pipeline, MessagesLargerThanTheQueues) {
  Pipeline pipeline;
  pipeline.ranks = 3;
  pipeline.width = 400000; // 1.6 MB
  expectTrains(pipeline);
}

TEST(Pipeline, BytesAreTheSenders) {
  Pipeline pipeline;
  auto session = open(pipeline);
  ASSERT_TRUE(session->step(0).ok());
  SessionStats stats = session->stats();
  auto send = static_cast<size_t>(plan::CollectiveKind::Send);
  auto receive = static_cast<size_t>(plan::CollectiveKind::Recv);
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(stats.wireBytes[rank][send], 4u * 16);
    EXPECT_EQ(stats.wireBytes[rank][receive], 0u);
    EXPECT_EQ(stats.collectives[rank][send], 4u);
    EXPECT_EQ(stats.collectives[rank][receive], 4u);
  }
}

TEST(Pipeline, NeverFasterThanTheModel) {
  for (const char *schedule : {"1f1b", "zb-h1"})
    for (simulate::Overlap overlap :
         {simulate::Overlap::On, simulate::Overlap::Off,
          simulate::Overlap::Late}) {
      Pipeline pipeline;
      pipeline.schedule = schedule;
      pipeline.ranks = 3;
      pipeline.stageFlops = pipeline.backFlops = pipeline.weightFlops = 2000000;
      SessionOptions options;
      EXPECT_EQ(options.machine.links.add("*=3ms,1GB/s"), "");
      EXPECT_EQ(options.machine.device.parse("1GFLOP/s,1TB/s"), "");
      options.machine.overlap = overlap;
      auto plan = test::pipelinePlan(pipeline);
      simulate::Machine machine;
      EXPECT_EQ(options.machine.resolve(*plan, machine), "");
      double predicted = 0;
      for (const simulate::Prediction &one :
           simulate::simulateEntry(*plan, 0, machine))
        predicted = std::max(predicted, one.step);
      auto session = test::openPipeline(std::move(plan), pipeline, options);
      ASSERT_TRUE(session->step(0).ok());
      EXPECT_GT(predicted, 0.030);
      EXPECT_GE(session->stats().stepSeconds[0], predicted * 0.9999);
      expectTrains(pipeline, options);
    }
}

TEST(Pipeline, ATraceTellsTurns) {
  SessionOptions options;
  options.trace = true;
  Pipeline pipeline;
  auto session = open(pipeline, options);
  ASSERT_TRUE(session->step(0).ok());
  std::string path = testing::TempDir() + "pipeline-trace.json";
  ASSERT_TRUE(session->writeTrace(path).ok());
  std::ifstream file(path);
  nlohmann::json trace = nlohmann::json::parse(file);
  std::vector<std::pair<unsigned, unsigned>> stages; // turn, iteration
  for (const auto &event : trace["traceEvents"])
    if (event["pid"] == 0 && event["name"] == "kernel" && event["tid"] == 0 &&
        event["args"].contains("turn"))
      stages.emplace_back(event["args"]["turn"], event["args"]["iteration"]);
  // F0 and F1, a slice and a stage each, then B0, F2, B1, F3, B2, B3.
  std::vector<std::pair<unsigned, unsigned>> want = {
      {0, 0}, {0, 0}, {1, 1}, {1, 1}, {2, 0}, {3, 2},
      {3, 2}, {4, 1}, {5, 3}, {5, 3}, {6, 2}, {7, 3}};
  EXPECT_EQ(stages, want);
}

/// The message of a run with a fault.
std::string failureOf(const char *fault, int timeoutMs) {
  SessionOptions options;
  options.collectiveTimeout = std::chrono::milliseconds(timeoutMs);
  options.faults.push_back(*parseFault(fault));
  Pipeline pipeline;
  pipeline.ranks = 3;
  auto session = open(pipeline, options);
  Status status = session->step(0);
  EXPECT_EQ(status.code(), Code::RankFailed);
  return status.message();
}

TEST(Pipeline, ARankThatThrowsStopsAll) {
  std::string message = failureOf("throw:1@4", 60000);
  EXPECT_EQ(message.find("rank 1 failed at step 0, instruction 4 (kernel, at "
                         "\"step.py\":7:3) in turn 0 (loop 0, iteration 0): "
                         "provoked fault"),
            0u)
      << message;
}

TEST(Pipeline, AStalledRankIsNamedWithItsTurn) {
  std::string message = failureOf("stall:2@4", 300);
  EXPECT_NE(message.find("rank 2: at instruction 4 (kernel, at "
                         "\"step.py\":7:3) in turn 0 (loop 0, iteration 0)"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("timed out receiving from rank"), std::string::npos)
      << message;
}

} // namespace
