//===- ModelledRunTest.cpp - Steps over modelled links and devices --------===//
//
// Delays change when things happen and nothing else: the same bits, and never
// less time than the model says. Nothing here fails because a machine is slow.
//
//===----------------------------------------------------------------------===//

#include "TestArrays.h"
#include "TestKernels.h"
#include "TestPlan.h"

#include "partopt-rt/Session.h"
#include "runtime/run/Compare.h"
#include "runtime/run/RunCommand.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;
using namespace partopt::plan;
using test::TestPlan;
using test::Values;

namespace {

/// y = 2x beside s = all_reduce(x) over both axes; then z = y + s, fed back.
/// 4000 bytes each.
std::unique_ptr<PlanT> overlapPlan() {
  TestPlan b({{"a", 2}, {"b", 2}});
  AxisList both = {b.axis("a"), b.axis("b")};
  uint32_t x = b.argument("x", {4000}, {both}, ElementType::F32, Role::Param);
  uint32_t s = b.buffer(4000), y = b.buffer(4000), z = b.buffer(4000);
  b.start(CollectiveKind::AllReduce, both, {x}, {s}, {1000}, Combiner::Sum);
  b.launch(0, {x}, {y}).flops = 1000;
  b.wait(0);
  b.launch(1, {y, s}, {z}).flops = 1000;
  b.result("z", z, {4000}, {both}, 0);
  b.plan().classes[0]->kernels = test::compileKernels(
      "void twice(void **a) { float *x = a[0], *y = a[1];"
      "  for (int i = 0; i < 1000; ++i) y[i] = 2 * x[i]; }"
      "void add(void **a) { float *y = a[0], *s = a[1], *z = a[2];"
      "  for (int i = 0; i < 1000; ++i) z[i] = y[i] + 0.3f * s[i]; }",
      {"twice", "add"});
  return b.finish();
}

std::vector<float> run(const SessionOptions &options, SessionStats &stats) {
  StatusOr<std::unique_ptr<Session>> session =
      Session::create(overlapPlan(), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  std::vector<float> x(4000), z(4000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.37f * static_cast<float>(i % 23) - 3;
  EXPECT_TRUE((*session)->setArgument(0, 0, Values(x)).ok());
  for (int step = 0; step < 3; ++step) {
    Status status = (*session)->step(0);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_TRUE((*session)->checkCounts().ok());
  ArrayCopy copy(*(*session)->results(0)[0]->tensor);
  EXPECT_TRUE((*session)->readResult(0, 0, copy).ok());
  std::memcpy(z.data(), copy.bytes().data(), copy.bytes().size());
  stats = (*session)->stats();
  return z;
}

SessionOptions modelled(Overlap overlap) {
  SessionOptions options;
  EXPECT_EQ(options.machine.links.add("*=1ms,1GB/s"), "");
  // Each kernel: 8000 or 12000 bytes at 1 MB/s, so 8 and 12 ms; and 8 ms to
  // copy the result into the argument.
  EXPECT_EQ(options.machine.device.parse("1GFLOP/s,1MB/s"), "");
  options.machine.overlap = overlap;
  return options;
}

TEST(ModelledRun, SameBitsWithEveryModel) {
  SessionStats stats;
  std::vector<float> plain = run({}, stats);
  EXPECT_TRUE(stats.excessSeconds.empty());
  for (Overlap overlap : {Overlap::On, Overlap::Off, Overlap::Late}) {
    EXPECT_EQ(run(modelled(overlap), stats), plain);
    EXPECT_EQ(stats.excessSeconds.size(), 3u);
  }
}

TEST(ModelledRun, TakesNoLessThanItsModel) {
  SessionStats stats;
  run(modelled(Overlap::On), stats);
  for (double seconds : stats.stepSeconds)
    EXPECT_GE(seconds, 28e-3);
  // Four steps of the halved all_reduce, each 1 ms, that nothing hides.
  for (Overlap overlap : {Overlap::Off, Overlap::Late}) {
    run(modelled(overlap), stats);
    for (double seconds : stats.stepSeconds)
      EXPECT_GE(seconds, 32e-3);
    for (double seconds : stats.exposedSeconds)
      EXPECT_GE(seconds, 4e-3);
  }
}

TEST(ModelledRun, KernelsThatOverrunTheModelAreCounted) {
  SessionOptions options;
  // Every kernel is modelled as done at once, so all that it takes is excess.
  EXPECT_EQ(options.machine.device.parse("1000TFLOP/s,1000TB/s"), "");
  SessionStats stats;
  run(options, stats);
  for (double seconds : stats.excessSeconds)
    EXPECT_GT(seconds, 0);
}

TEST(ModelledRun, SkippedKernelsComputeNothing) {
  SessionOptions options = modelled(Overlap::On);
  options.machine.skipKernels = true;
  SessionStats stats;
  std::vector<float> z = run(options, stats);
  EXPECT_EQ(z, std::vector<float>(4000, 0)); // as the arena was allocated
  for (double seconds : stats.stepSeconds)
    EXPECT_GE(seconds, 28e-3);
}

TEST(ModelledRun, AnAxisThatTheMeshLacksIsRefused) {
  SessionOptions options;
  EXPECT_EQ(options.machine.links.add("data=1ms,1GB/s"), "");
  StatusOr<std::unique_ptr<Session>> session =
      Session::create(overlapPlan(), options);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), Code::BadInput);
  EXPECT_EQ(session.status().message(),
            "--link: the mesh has no axis 'data', only: a, b");
}

TEST(ModelledRun, OptionsAreParsed) {
  auto parse = [](const char *text, RunOptions &options) {
    const char *argv[] = {text};
    int at = 0;
    Status status;
    EXPECT_TRUE(parseRunOption(1, argv, at, options, status));
    return status.message();
  };
  RunOptions options;
  EXPECT_EQ(parse("--link=data=50us,1GB/s", options), "");
  EXPECT_EQ(parse("--link=*=1us,2GB/s", options), "");
  EXPECT_DOUBLE_EQ(options.session.machine.links.over("data").latency, 50e-6);
  EXPECT_DOUBLE_EQ(options.session.machine.links.over("other").bytesPerSecond,
                   2e9);
  EXPECT_EQ(parse("--link=data=1us,1GB/s", options),
            "--link does not take the value 'data=1us,1GB/s': axis 'data' is "
            "given twice");
  EXPECT_EQ(parse("--compute=model=2GFLOP/s,1GB/s,10us", options), "");
  EXPECT_DOUBLE_EQ(options.session.machine.device.overhead, 10e-6);
  EXPECT_FALSE(options.session.machine.skipKernels);
  EXPECT_EQ(parse("--compute=model-only=2GFLOP/s,1GB/s", options), "");
  EXPECT_TRUE(options.session.machine.skipKernels);
  EXPECT_EQ(parse("--compute=real", options), "");
  EXPECT_TRUE(options.session.machine.device.empty());
  EXPECT_FALSE(options.session.machine.skipKernels);
  EXPECT_NE(parse("--compute=modell=2GFLOP/s,1GB/s", options), "");
  EXPECT_NE(parse("--compute=model=2GFLOP/s", options), "");
  EXPECT_EQ(parse("--overlap=late", options), "");
  EXPECT_EQ(options.session.machine.overlap, Overlap::Late);
  EXPECT_EQ(parse("--overlap=never", options),
            "--overlap does not take the value 'never': expected on, off or "
            "late");
}

} // namespace
