//===- CudaErrorsTest.cpp - Failures of the CUDA driver -------------------===//
//
// Provoked in the stand-in of test/CudaShim: each ends with one message that
// says where, or what is missing.
//
//===----------------------------------------------------------------------===//

#include "../TrainingPlan.h"
#include "ShimSession.h"

#include "partopt/Plan/ElementTypes.h"

#include <cuda.h>

using namespace partopt;
using namespace partopt::rt;
using test::openOnShim;
using test::ShimControl;
using test::WithVariable;

namespace {

void expectSays(const Status &status, Code code,
                const std::vector<std::string> &parts) {
  EXPECT_EQ(status.code(), code) << status.message();
  for (const std::string &part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos)
        << "no '" << part << "' in: " << status.message();
}

/// What opening says with the variable set.
Status openedWith(const char *variable, const std::string &value,
                  uint32_t ranks = 3) {
  WithVariable with(variable, value);
  return openOnShim(test::trainingPlan(ranks)).status();
}

/// What a step says when its `number`-th such call fails.
Status stepWith(const char *call, uint64_t number, int code,
                const SessionOptions &options) {
  ShimControl &shim = ShimControl::get();
  auto session = openOnShim(test::trainingPlan(3), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  shim.fail(call, shim.callsOf(call) + number, code);
  Status status = (*session)->step(0);
  // Nothing is tried again.
  Status second = (*session)->step(0);
  EXPECT_EQ(second.message(), status.message());
  return status;
}

SessionOptions eager() {
  SessionOptions options;
  options.cuda.graphs = false;
  return options;
}

TEST(CudaErrors, AFailedCallNamesRankInstructionAndLocation) {
  expectSays(stepWith("cuLaunchKernel", 3, CUDA_ERROR_LAUNCH_FAILED, eager()),
             Code::RankFailed,
             {"step 0", "rank 2, instruction 1", "\"step.py\":7:3",
              "cuLaunchKernel", "CUDA_ERROR_LAUNCH_FAILED"});
  expectSays(stepWith("cublasLtMatmul", 2, 13, eager()), Code::RankFailed,
             {"rank 1, instruction 0", "cublasLtMatmul"});
  expectSays(
      stepWith("cuStreamWaitEvent", 4, CUDA_ERROR_ILLEGAL_ADDRESS, eager()),
      Code::RankFailed, {"cuStreamWaitEvent"});
}

TEST(CudaErrors, WhatTheDeviceReportsLate) {
  expectSays(stepWith("cuEventQuery", 1, CUDA_ERROR_ILLEGAL_ADDRESS, {}),
             Code::RankFailed,
             {"the step's operations", "CUDA_ERROR_ILLEGAL_ADDRESS"});
  expectSays(stepWith("cuGraphLaunch", 1, CUDA_ERROR_LAUNCH_FAILED, {}),
             Code::RankFailed, {"cuGraphLaunch"});
}

TEST(CudaErrors, AStepThatDoesNotEnd) {
  WithVariable busy("PARTOPT_SHIM_BUSY", "1000000000");
  SessionOptions options = eager();
  options.collectiveTimeout = std::chrono::milliseconds(30);
  auto session = openOnShim(test::trainingPlan(3), options);
  ASSERT_TRUE(session.ok());
  expectSays((*session)->step(0), Code::RankFailed,
             {"time limit 30 ms", "What has not ended", "rank 0, instruction"});
  options.cuda.graphs = true;
  session = openOnShim(test::trainingPlan(3), options);
  ASSERT_TRUE(session.ok());
  expectSays((*session)->step(0), Code::RankFailed, {"--cuda-graph off"});
}

TEST(CudaErrors, NcclFailsBehindTheCall) {
  WithVariable devices("PARTOPT_SHIM_DEVICES", "3");
  WithVariable busy("PARTOPT_SHIM_BUSY", "1000000000");
  ShimControl &shim = ShimControl::get();
  auto session = openOnShim(test::trainingPlan(3));
  ASSERT_TRUE(session.ok()) << session.status().message();
  shim.fail("ncclCommGetAsyncError", 5, 6);
  expectSays((*session)->step(0), Code::RankFailed,
             {"step 0", "rank 1", "a collective in flight"});
  EXPECT_EQ(shim.callsOf("ncclCommAbort"), 6u); // the world's and the group's
}

TEST(CudaErrors, MemoryThatIsShort) {
  expectSays(openedWith("PARTOPT_SHIM_MEMORY", "1000"), Code::BadInput,
             {"1000 bytes free", "more than there are", "3 ranks",
              "for arguments", "for arenas"});
}

TEST(CudaErrors, DriversAndGpusThatDoNotFit) {
  expectSays(openedWith("PARTOPT_SHIM_VERSION", "11080"), Code::BadInput,
             {"driver is for CUDA 11.8", "install a newer driver"});
  expectSays(openedWith("PARTOPT_SHIM_CAPABILITY", "90"), Code::BadInput,
             {"sm_90", "--gpu-arch sm_90"});
  expectSays(openedWith("PARTOPT_SHIM_DEVICES", "2"), Code::BadInput,
             {"3 ranks and 2 GPUs", "CUDA_VISIBLE_DEVICES"});
  expectSays(openedWith("PARTOPT_SHIM_DEVICES", "0"), Code::BadInput,
             {"no GPU", "nvidia-smi"});
  expectSays(openedWith("PARTOPT_SHIM_FAIL", "cuInit:1:100"), Code::BadInput,
             {"does not start", "CUDA_ERROR_NO_DEVICE"});
  expectSays(openedWith("PARTOPT_SHIM_FAIL", "cuModuleLoadDataEx:1:200"),
             Code::BadInput, {"does not take the kernels"});
}

TEST(CudaErrors, HostPlansAndHostOptions) {
  ShimControl::get();
  SessionOptions options;
  options.driver = DriverKind::Cuda;
  expectSays(Session::create(test::trainingPlan(2), options).status(),
             Code::BadInput, {"for the host", "--driver cuda"});
  options.machine.overlap = simulate::Overlap::Off;
  expectSays(openOnShim(test::trainingPlan(2), options).status(),
             Code::BadInput, {"--overlap", "leave them out"});
  options = SessionOptions();
  EXPECT_EQ(options.machine.set("compute", "model=1GFLOP/s,1GB/s"), "");
  expectSays(openOnShim(test::trainingPlan(2), options).status(),
             Code::BadInput, {"--compute", "leave them out"});
  options = SessionOptions();
  options.jitterMicroseconds = 1;
  expectSays(openOnShim(test::trainingPlan(2), options).status(),
             Code::BadInput, {"jitterMicroseconds"});
  options = SessionOptions();
  options.faults.push_back({Fault::Kind::Throw, 0, 0, 0});
  expectSays(openOnShim(test::trainingPlan(2), options).status(),
             Code::BadInput, {"--fault"});
}

/// What a plan is for does not slow a GPU down.
TEST(CudaErrors, AClusterIsTaken) {
  SessionOptions options;
  EXPECT_EQ(options.machine.set("cluster", "h100x8"), "");
  Status status = openOnShim(test::trainingPlan(2), options).status();
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CudaErrors, ReductionsThatNcclDoesNotHave) {
  WithVariable devices("PARTOPT_SHIM_DEVICES", "2");
  auto reducing = [](plan::ElementType type, plan::Combiner combiner) {
    test::TestPlan b({{"data", 2}});
    plan::AxisList data = {b.axis("data")};
    uint32_t x = b.argument("x", {4}, {}, type, plan::Role::Batch);
    uint32_t y = b.buffer(4 * plan::elementSize(type));
    b.start(plan::CollectiveKind::AllReduce, data, {x}, {y}, {4}, combiner,
            type);
    b.wait(0);
    b.result("y", y, {4}, {}, -1, type);
    return openOnShim(b.finish()).status();
  };
  expectSays(reducing(plan::ElementType::I32, plan::Combiner::Or),
             Code::BadInput, {"NCCL has no reduction or of i32"});
  expectSays(reducing(plan::ElementType::I16, plan::Combiner::Sum),
             Code::BadInput, {"NCCL has no reduction sum of i16"});
  expectSays(reducing(plan::ElementType::F8E5M2, plan::Combiner::Sum),
             Code::BadInput, {"NCCL has no reduction sum of f8E5M2"});
  Status known = reducing(plan::ElementType::I1, plan::Combiner::Or);
  EXPECT_TRUE(known.ok()) << known.message();
}

TEST(CudaErrors, AlteredKernels) {
  auto plan = test::trainingPlan(2);
  plan->classes[0]->kernels->hash ^= 1;
  expectSays(openOnShim(std::move(plan)).status(), Code::BadInput,
             {"altered", "hash"});
}

} // namespace
