//===- CudaSessionTest.cpp - Steps through the CUDA driver, without a GPU -===//
//
// On the stand-in of test/CudaShim: results, what is called within a step, and
// that nothing races.
//
//===----------------------------------------------------------------------===//

#include "../PipelineSession.h"
#include "../TrainingPlan.h"
#include "ShimSession.h"

#include "partopt/Plan/CollectiveBytes.h"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::rt;
using test::floatsOf;
using test::openOnShim;
using test::Pipeline;
using test::ShimControl;
using test::Values;
using test::WithVariable;

namespace {

std::vector<float> ramp(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = scale * static_cast<float>(i % 17) - 3;
  return values;
}

void giveInputs(Session &session, uint32_t ranks) {
  ASSERT_TRUE(session.setArgument(0, 0, Values(ramp(16, 0.25f))).ok());
  ASSERT_TRUE(session.setArgument(0, 1, Values(ramp(16 * ranks, 0.125f))).ok());
}

/// What three steps leave in the parameter.
std::vector<float> trained(StatusOr<std::unique_ptr<Session>> session,
                           uint32_t ranks) {
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok())
    return {};
  giveInputs(**session, ranks);
  for (int step = 0; step < 3; ++step) {
    Status status = (*session)->step(0);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  Status counts = (*session)->checkCounts();
  EXPECT_TRUE(counts.ok()) << counts.message();
  return floatsOf(**session, 0);
}

SessionOptions eager() {
  SessionOptions options;
  options.cuda.graphs = false;
  return options;
}

TEST(CudaSession, SameBitsAsTheHostDriver) {
  for (uint32_t ranks : {1, 3, 8}) {
    std::vector<float> want =
        trained(Session::create(test::trainingPlan(ranks)), ranks);
    for (const char *seed : {"0", "1", "2", "3"}) {
      WithVariable shuffle("PARTOPT_SHIM_SEED", seed);
      EXPECT_EQ(trained(openOnShim(test::trainingPlan(ranks)), ranks), want);
      EXPECT_EQ(trained(openOnShim(test::trainingPlan(ranks), eager()), ranks),
                want);
      EXPECT_EQ(ShimControl::get().races(), 0u);
    }
  }
}

/// A GPU for each rank, over NCCL, which combines in another order.
TEST(CudaSession, AGpuForEachRank) {
  WithVariable devices("PARTOPT_SHIM_DEVICES", "4");
  std::vector<float> want = trained(Session::create(test::trainingPlan(4)), 4);
  for (const SessionOptions &options : {SessionOptions(), eager()}) {
    auto session = openOnShim(test::trainingPlan(4), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_NE((*session)->machineText().find("NCCL"), std::string::npos);
    EXPECT_NE((*session)->machineText().find("not counted"), std::string::npos);
    EXPECT_FALSE((*session)->stats().countsWireBytes);
    // The rank's memory, the product's workspace, and NCCL's.
    ASSERT_EQ((*session)->stats().deviceBytes.size(), 4u);
    for (uint64_t bytes : (*session)->stats().deviceBytes)
      EXPECT_GT(bytes, uint64_t(1 << 20) + 4096);
    std::vector<float> got = trained(std::move(session), 4);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 1e-6 * std::abs(want[i]));
    EXPECT_EQ(ShimControl::get().races(), 0u);
  }
}

/// Whatever its sharding, a shard is one transfer.
TEST(CudaSession, AShardIsOneTransfer) {
  ShimControl &shim = ShimControl::get();
  test::TestPlan b({{"model", 2}});
  uint32_t x = b.argument("x", {5, 6}, {{}, {b.axis("model")}});
  uint32_t y = b.buffer(60);
  b.copy(x, y);
  b.result("y", y, {5, 6}, {{}, {b.axis("model")}});
  auto session = openOnShim(b.finish());
  ASSERT_TRUE(session.ok()) << session.status().message();
  std::vector<float> values = ramp(30, 0.5f);
  uint64_t up = shim.callsOf("cuMemcpyHtoDAsync");
  ASSERT_TRUE((*session)->setArgument(0, 0, Values(values)).ok());
  EXPECT_EQ(shim.callsOf("cuMemcpyHtoDAsync") - up, 2u);
  ASSERT_TRUE((*session)->step(0).ok());
  uint64_t down = shim.callsOf("cuMemcpyDtoHAsync");
  EXPECT_EQ(floatsOf(**session, 0), values);
  EXPECT_EQ(shim.callsOf("cuMemcpyDtoHAsync") - down, 2u);
}

/// The calls that a step may not make: they allocate, or wait for the device.
const char *const callsBetweenSteps[] = {
    "cuMemAlloc",           "cuMemFree",
    "cuModuleLoadDataEx",   "cuModuleGetFunction",
    "cuEventCreate",        "cuStreamCreateWithPriority",
    "cuStreamSynchronize",  "cuGraphInstantiateWithFlags",
    "cuStreamBeginCapture", "cuMemcpyHtoDAsync",
    "cuMemcpyDtoHAsync",    "cublasLtMatmulAlgoGetHeuristic"};

TEST(CudaSession, AStepNeitherAllocatesNorWaits) {
  ShimControl &shim = ShimControl::get();
  for (bool graphs : {true, false}) {
    SessionOptions options;
    options.cuda.graphs = graphs;
    auto session = openOnShim(test::trainingPlan(3), options);
    ASSERT_TRUE(session.ok());
    EXPECT_TRUE((*session)->stats().countsWireBytes);
    giveInputs(**session, 3);
    auto calls = [&](const char *name) { return shim.callsOf(name); };
    std::map<std::string, uint64_t> before;
    for (const char *name : callsBetweenSteps)
      before[name] = calls(name);
    uint64_t launches = calls("cuLaunchKernel"),
             replays = calls("cuGraphLaunch");
    uint64_t products = calls("cublasLtMatmul");
    ASSERT_TRUE((*session)->step(0).ok());
    ASSERT_TRUE((*session)->step(0).ok());
    for (const char *name : callsBetweenSteps)
      EXPECT_EQ(calls(name), before[name]) << name;
    // Two kernels of each rank, and a reduction of each of 3 chunks.
    EXPECT_EQ(calls("cuLaunchKernel") - launches, graphs ? 0u : 2u * 9);
    EXPECT_EQ(calls("cublasLtMatmul") - products, graphs ? 0u : 2u * 3);
    EXPECT_EQ(calls("cuGraphLaunch") - replays, graphs ? 2u : 0u);
    EXPECT_EQ(calls("cuMemAlloc"), 1u);
  }
}

void expectTrains(const Pipeline &pipeline, const SessionOptions &options) {
  auto session = openOnShim(test::pipelinePlan(pipeline), options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  test::PipelineInputs inputs(pipeline);
  for (uint32_t i = 0; i <= pipeline.ranks; ++i)
    ASSERT_TRUE(
        (*session)
            ->setArgument(
                0, i,
                Values(i < pipeline.ranks ? inputs.parameters[i] : inputs.rows))
            .ok());
  for (int step = 0; step < 2; ++step) {
    Status status = (*session)->step(0);
    ASSERT_TRUE(status.ok()) << status.message();
    auto want = test::pipelineStep(pipeline, inputs.rows, inputs.parameters);
    for (size_t i = 0; i < want.size(); ++i) {
      std::vector<float> got = floatsOf(**session, i);
      ASSERT_EQ(got.size(), want[i].size());
      for (size_t j = 0; j < got.size(); ++j)
        EXPECT_NEAR(got[j], want[i][j], 1e-5 + 1e-4 * std::abs(want[i][j]));
    }
    inputs.parameters.assign(want.begin() + 1, want.end());
  }
  Status counts = (*session)->checkCounts();
  EXPECT_TRUE(counts.ok()) << counts.message();
  EXPECT_EQ(ShimControl::get().races(), 0u);
}

TEST(CudaSession, PipelinesOfEverySchedule) {
  for (const char *schedule : {"gpipe", "1f1b", "zb-h1"})
    for (uint32_t ranks : {2, 3, 4})
      for (uint32_t ahead : {0, 1, 2}) {
        Pipeline pipeline;
        pipeline.schedule = schedule;
        pipeline.ranks = ranks;
        pipeline.ahead = ahead;
        pipeline.microbatches = 5;
        expectTrains(pipeline, {});
        expectTrains(pipeline, eager());
        pipeline.replicas = 2;
        WithVariable devices("PARTOPT_SHIM_DEVICES", "8");
        expectTrains(pipeline, {});
      }
}

/// Without any one of its waits, a step is wrong, and the shim sees it: those
/// of the collective for its three members, and of these for the collective.
TEST(CudaSession, EveryWaitIsNeeded) {
  constexpr int forget = -1;
  ShimControl &shim = ShimControl::get();
  for (uint64_t wait = 1; wait <= 12; ++wait) {
    auto session = openOnShim(test::trainingPlan(3), eager());
    ASSERT_TRUE(session.ok());
    giveInputs(**session, 3);
    shim.fail("cuStreamWaitEvent", shim.callsOf("cuStreamWaitEvent") + wait,
              forget);
    bool first = (*session)->step(0).ok();
    // The fork and the join order one step behind the other.
    bool second = first && (*session)->step(0).ok();
    bool isBound = wait <= 3 || wait > 9;
    EXPECT_EQ(first, isBound) << "wait " << wait;
    EXPECT_EQ(shim.races() > 0, !first || !second);
  }
}

TEST(CudaSession, TracesByEvents) {
  SessionOptions options;
  options.trace = true;
  auto session = openOnShim(test::trainingPlan(3), options);
  ASSERT_TRUE(session.ok());
  giveInputs(**session, 3);
  ASSERT_TRUE((*session)->step(0).ok());
  std::string path = testing::TempDir() + "cuda-trace.json";
  ASSERT_TRUE((*session)->writeTrace(path).ok());
  std::ifstream file(path);
  auto trace = nlohmann::json::parse(file);
  std::map<std::string, int> found;
  for (const auto &event : trace["traceEvents"]) {
    ++found[event.value("cat", "")];
    if (event["ph"] == "X")
      EXPECT_GE(event["dur"].get<double>(), 0);
  }
  EXPECT_EQ(found["Gemm"], 3);
  EXPECT_EQ(found["Launch"], 6);
  EXPECT_EQ(found["CollectiveStart"], 3);
}

} // namespace
