//===- SessionTest.cpp - Plans written by hand, run on threads ------------===//
//
// Whole steps on several ranks: kernels compiled here, products through the
// BLAS, collectives in the background, failures that must end in one message.
//
//===----------------------------------------------------------------------===//

#include "TestArrays.h"
#include "TestKernels.h"
#include "TestPlan.h"
#include "TrainingPlan.h"

#include "partopt-rt/Session.h"
#include "partopt/Plan/PlanFile.h"
#include "runtime/run/Compare.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::rt;
using namespace partopt::plan;
using test::TestPlan;
using test::trainingPlan;
using test::trainStep;
using test::Values;

namespace {

std::vector<float> ramp(size_t count, float scale = 1) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = scale * static_cast<float>(i % 17) - 3;
  return values;
}

std::vector<float> resultOf(Session &session, size_t index) {
  ArrayCopy copy(*session.results(0)[index]->tensor);
  EXPECT_TRUE(session.readResult(0, index, copy).ok());
  std::vector<float> values(copy.bytes().size() / sizeof(float));
  if (!values.empty())
    std::memcpy(values.data(), copy.bytes().data(), copy.bytes().size());
  return values;
}

std::unique_ptr<Session> open(std::unique_ptr<PlanT> plan,
                              const SessionOptions &options = {}) {
  StatusOr<std::unique_ptr<Session>> session =
      Session::create(std::move(plan), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session.ok() ? std::move(*session) : nullptr;
}

TEST(Session, StepsFeedBackAndCountsAgree) {
  for (uint32_t ranks : {1, 3, 8}) {
    auto session = open(trainingPlan(ranks));
    ASSERT_NE(session, nullptr);
    std::vector<float> w = ramp(16, 0.25f), x = ramp(16 * ranks, 0.125f);
    ASSERT_TRUE(session->setArgument(0, 0, Values(w)).ok());
    ASSERT_TRUE(session->setArgument(0, 1, Values(x)).ok());
    for (int step = 0; step < 3; ++step) {
      Status status = session->step(0);
      ASSERT_TRUE(status.ok()) << status.message();
      w = trainStep(w, x);
      std::vector<float> got = resultOf(*session, 0);
      for (int i = 0; i < 16; ++i)
        EXPECT_NEAR(got[i], w[i], 1e-4 * std::abs(w[i]) + 1e-4);
    }
    std::vector<float> doubled = resultOf(*session, 1);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(doubled[i], 2 * x[i]);
    Status counts = session->checkCounts();
    EXPECT_TRUE(counts.ok()) << counts.message();
    SessionStats stats = session->stats();
    EXPECT_EQ(stats.stepSeconds.size(), 3u);
    EXPECT_EQ(stats.collectives[0][0], 3u);
    EXPECT_EQ(stats.arenaBytes[0], 256u);
    EXPECT_EQ(stats.residentBytes[0], 128u);
  }
}

TEST(Session, SameBitsEveryTime) {
  std::vector<float> first;
  for (int round = 0; round < 3; ++round) {
    SessionOptions options;
    options.jitterMicroseconds = round * 200;
    auto session = open(trainingPlan(5), options);
    ASSERT_TRUE(session->setArgument(0, 0, Values(ramp(16, 0.3f))).ok());
    ASSERT_TRUE(session->setArgument(0, 1, Values(ramp(80, 0.7f))).ok());
    for (int step = 0; step < 3; ++step)
      ASSERT_TRUE(session->step(0).ok());
    if (round == 0)
      first = resultOf(*session, 0);
    EXPECT_EQ(resultOf(*session, 0), first);
  }
}

TEST(Session, ManyCollectivesInFlight) {
  TestPlan b({{"x", 2}, {"y", 2}});
  AxisList x = {b.axis("x")}, y = {b.axis("y")};
  constexpr int count = 12;
  uint32_t in = b.argument("in", {32}, {});
  std::vector<uint32_t> outs;
  for (int i = 0; i < count; ++i) {
    outs.push_back(b.buffer(128));
    b.start(CollectiveKind::AllReduce, i % 2 ? x : y, {in}, {outs.back()}, {32},
            Combiner::Sum, ElementType::F32, static_cast<uint16_t>(i % 3));
  }
  for (int i = count; i-- > 0;)
    b.wait(static_cast<uint32_t>(i));
  for (uint32_t out : outs)
    b.result("out", out, {32}, {});
  SessionOptions options;
  options.jitterMicroseconds = 300;
  options.trace = true;
  auto session = open(b.finish(), options);
  ASSERT_TRUE(session->setArgument(0, 0, Values(ramp(32))).ok());
  for (int step = 0; step < 3; ++step)
    ASSERT_TRUE(session->step(0).ok());
  for (int i = 0; i < count; ++i)
    for (int e = 0; e < 32; ++e)
      EXPECT_EQ(resultOf(*session, i)[e], 2 * ramp(32)[e]);
  EXPECT_TRUE(session->checkCounts().ok());

  std::string path = testing::TempDir() + "trace.json";
  ASSERT_TRUE(session->writeTrace(path).ok());
  std::ifstream file(path);
  auto trace = nlohmann::json::parse(file);
  size_t collectives = 0, waits = 0;
  for (const auto &event : trace["traceEvents"]) {
    collectives += event.value("cat", "") == "CollectiveStart";
    waits += event.value("cat", "") == "Wait";
    if (event.value("cat", "") == "CollectiveStart")
      EXPECT_EQ(event["args"]["loc"], "\"step.py\":7:3");
  }
  EXPECT_EQ(collectives, size_t(count * 4 * 3));
  EXPECT_EQ(waits, size_t(count * 4 * 3));
}

TEST(Session, AxisIndexAndDeviceIds) {
  TestPlan b({{"x", 2}, {"y", 2}});
  AxisList both = {b.axis("x"), b.axis("y")};
  b.plan().device_ids = {2, 0, 3, 1};
  uint32_t index = b.buffer(4);
  b.axisIndex(both, index);
  b.result("index", index, {4}, {both}, -1, ElementType::I32);
  auto session = open(b.finish());
  ASSERT_TRUE(session->step(0).ok());
  ArrayCopy copy(*session->results(0)[0]->tensor);
  ASSERT_TRUE(session->readResult(0, 0, copy).ok());
  int32_t values[4];
  std::memcpy(values, copy.bytes().data(), 16);
  for (int i = 0; i < 4; ++i) // shard i sits where the index is i
    EXPECT_EQ(values[i], i);
}

TEST(Session, UnevenShardsLoadAndSave) {
  // Rows 7 on 4 and columns 5 on 2; dimension of 5 on 4 leaves an empty shard.
  for (test::Shape shape : {test::Shape{7, 5}, test::Shape{5, 3},
                            test::Shape{1, 1}, test::Shape{0, 4}}) {
    TestPlan b({{"x", 4}, {"y", 2}});
    test::DimAxes axes = {{b.axis("x")}, {b.axis("y")}};
    uint32_t in = b.argument("in", shape, axes);
    uint64_t bytes = b.program().buffers[in]->bytes;
    uint32_t out = b.buffer(bytes);
    b.copy(in, out);
    b.result("out", out, shape, axes);
    auto session = open(b.finish());
    std::vector<float> values = ramp(shape[0] * shape[1]);
    ASSERT_TRUE(session->setArgument(0, 0, Values(values)).ok());
    ASSERT_TRUE(session->step(0).ok());
    EXPECT_EQ(resultOf(*session, 0), values);
  }
}

TEST(Session, GemmForms) {
  // C[b] = A[b]^T B[b]^T for 3 batches of 2x5 = (4x2)^T (5x4)^T.
  TestPlan b({});
  uint32_t a = b.argument("a", {3, 4, 2}, {}),
           w = b.argument("b", {3, 5, 4}, {});
  uint32_t c = b.buffer(3 * 2 * 5 * 4);
  GemmT &gemm = *b.gemm(a, w, c, 2, 5, 4).op.AsGemm();
  gemm.batch = 3;
  gemm.trans_a = gemm.trans_b = true;
  gemm.lda = 2;
  gemm.ldb = 4;
  gemm.stride_a = 8;
  gemm.stride_b = 20;
  gemm.stride_c = 10;
  b.result("c", c, {3, 2, 5}, {});
  auto session = open(b.finish());
  std::vector<float> va = ramp(24), vb = ramp(60, 0.5f);
  ASSERT_TRUE(session->setArgument(0, 0, Values(va)).ok());
  ASSERT_TRUE(session->setArgument(0, 1, Values(vb)).ok());
  ASSERT_TRUE(session->step(0).ok());
  std::vector<float> got = resultOf(*session, 0);
  for (int i = 0; i < 3; ++i)
    for (int m = 0; m < 2; ++m)
      for (int n = 0; n < 5; ++n) {
        float want = 0;
        for (int k = 0; k < 4; ++k)
          want += va[i * 8 + k * 2 + m] * vb[i * 20 + n * 4 + k];
        EXPECT_NEAR(got[i * 10 + m * 5 + n], want, 1e-4);
      }
}

TEST(Session, AGemmMayAddToItsResult) {
  TestPlan b({});
  uint32_t x = b.argument("x", {4, 4}, {}), c = b.buffer(4 * 4 * 4);
  b.gemm(x, x, c, 4, 4, 4);
  InstructionT &sum = b.gemm(x, x, c, 4, 4, 4);
  sum.op.AsGemm()->accumulate = true;
  sum.reads.push_back(c);
  b.result("c", c, {4, 4}, {});
  auto session = open(b.finish());
  std::vector<float> values = ramp(16);
  ASSERT_TRUE(session->setArgument(0, 0, Values(values)).ok());
  ASSERT_TRUE(session->step(0).ok());
  std::vector<float> got = resultOf(*session, 0);
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 4; ++n) {
      float want = 0;
      for (int k = 0; k < 4; ++k)
        want += 2 * values[m * 4 + k] * values[k * 4 + n];
      EXPECT_NEAR(got[m * 4 + n], want, 1e-4);
    }
}

TEST(Session, BlasIsSafeFromManyRanks) {
  TestPlan b({{"data", 16}});
  uint32_t x = b.argument("x", {64, 64}, {});
  uint32_t y = b.buffer(64 * 64 * 4);
  for (int i = 0; i < 20; ++i)
    b.gemm(x, x, y, 64, 64, 64);
  b.result("y", y, {64 * 16, 64}, {{b.axis("data")}});
  auto session = open(b.finish());
  ASSERT_TRUE(session->setArgument(0, 0, Values(ramp(64 * 64, 0.1f))).ok());
  for (int step = 0; step < 5; ++step)
    ASSERT_TRUE(session->step(0).ok());
  std::vector<float> got = resultOf(*session, 0);
  for (size_t i = 64 * 64; i < got.size(); ++i)
    ASSERT_EQ(got[i], got[i % (64 * 64)]);
}

// ---- failures --------------------------------------------------------------

std::string failureOf(const char *fault, int timeoutMs, uint32_t ranks = 4) {
  SessionOptions options;
  options.collectiveTimeout = std::chrono::milliseconds(timeoutMs);
  StatusOr<Fault> parsed = parseFault(fault);
  EXPECT_TRUE(parsed.ok());
  options.faults.push_back(*parsed);
  auto session = open(trainingPlan(ranks), options);
  EXPECT_TRUE(session->setArgument(0, 0, Values(ramp(16))).ok());
  EXPECT_TRUE(session->setArgument(0, 1, Values(ramp(16 * ranks))).ok());
  Status status = session->step(0);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), Code::RankFailed);
    EXPECT_EQ(session->step(0).message(), status.message());
  }
  return status.message();
}

TEST(Failure, ARankThatThrowsStopsAll) {
  for (const char *at : {"throw:2@0", "throw:2@1", "throw:2@2", "throw:2@4"}) {
    std::string message = failureOf(at, 60000);
    EXPECT_EQ(message.find("rank 2 failed at step 0, instruction " +
                           std::string(at + 8) + " ("),
              0u)
        << message;
    EXPECT_NE(message.find("at \"step.py\":7:3): provoked fault"),
              std::string::npos)
        << message;
  }
}

TEST(Failure, ASlowRankIsWaitedFor) {
  EXPECT_EQ(failureOf("slow:1@0:150", 60000), "");
}

TEST(Failure, ASlowRankBeyondTheLimitFails) {
  std::string message = failureOf("slow:1@0:60000", 200);
  EXPECT_NE(message.find("all_reduce 0 over {data} failed on rank"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("timed out"), std::string::npos);
}

TEST(Failure, AStalledRankIsNamed) {
  std::string message = failureOf("stall:3@0", 200);
  EXPECT_NE(message.find("Where every rank stands:"), std::string::npos);
  EXPECT_NE(message.find("rank 3: at instruction 0 (dot, at"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("rank 0: at instruction 3 (wait"), std::string::npos)
      << message;
}

TEST(Failure, FaultsAreParsed) {
  EXPECT_FALSE(parseFault("throw").ok());
  EXPECT_FALSE(parseFault("throw:1@2:3").ok());
  EXPECT_FALSE(parseFault("slow:1@2").ok());
  EXPECT_EQ(parseFault("slow:1@2:30")->milliseconds, 30u);
}

TEST(Failure, BadPlansAreRefusedWhenLoaded) {
  auto plan = trainingPlan(2);
  plan->classes[0]->programs[0]->peak_bytes = 1;
  StatusOr<std::unique_ptr<Session>> session = Session::create(std::move(plan));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), Code::BadInput);
  EXPECT_EQ(session.status().message().find("the plan does not verify: class"),
            0u);
}

} // namespace
