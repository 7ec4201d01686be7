//===- ClusterTest.cpp - Levels of a cluster, and orders of axes ----------===//
//
// Levels against a look at every pair of devices, orders against all orders.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/AxisOrder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace partopt::simulate {
namespace {

Cluster threeLevels(uint64_t node, uint64_t rack, uint64_t all) {
  Cluster cluster;
  cluster.name = "test";
  cluster.levels = {{"node", node, {1e-6, 100e9}},
                    {"rack", rack, {4e-6, 20e9}},
                    {"hall", all, {9e-6, 5e9}}};
  return cluster;
}

/// Devices in the numbering of `order`, by row-major place.
std::vector<uint32_t> devicesOf(const std::vector<uint64_t> &sizes,
                                const std::vector<size_t> &order) {
  uint64_t total = 1;
  for (uint64_t size : sizes)
    total *= size;
  std::vector<uint32_t> ids;
  for (uint64_t place = 0; place < total; ++place) {
    std::vector<uint64_t> digits(sizes.size());
    uint64_t rest = place;
    for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis])
      digits[axis] = rest % sizes[axis];
    uint64_t device = 0;
    for (size_t axis : order)
      device = device * sizes[axis] + digits[axis];
    ids.push_back(static_cast<uint32_t>(device));
  }
  return ids;
}

TEST(Cluster, LevelsAreThoseOfEveryPairOfMembers) {
  std::mt19937 random(7);
  Cluster cluster = threeLevels(6, 24, 1 << 20);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint64_t> sizes(1 + random() % 4);
    for (uint64_t &size : sizes)
      size = 1 + random() % 5;
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(cluster.levelsOf(sizes, devicesOf(sizes, order)),
              cluster.levelsInOrder(sizes, order));
  }
}

/// An all_reduce of so many bytes over the axes.
AxisTraffic allReduce(std::vector<size_t> axes, uint64_t bytes, uint64_t n,
                      uint64_t times) {
  AxisTraffic traffic;
  traffic.axes = std::move(axes);
  traffic.collective.kind = plan::CollectiveKind::AllReduce;
  traffic.collective.type = plan::ElementType::I8;
  traffic.collective.counts = {bytes};
  traffic.groupSize = n;
  traffic.times = times;
  return traffic;
}

TEST(AxisOrder, NoOrderTakesLess) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    AxisOrderProblem problem;
    problem.cluster = threeLevels(4, 16, 1 << 20);
    for (size_t axis = 0; axis < 4; ++axis) {
      problem.names.push_back(std::string(1, static_cast<char>('a' + axis)));
      problem.sizes.push_back(2 + random() % 3);
    }
    for (int i = 0; i < 6; ++i) {
      std::vector<size_t> axes = {random() % 4};
      if (random() % 3 == 0)
        axes.push_back((axes[0] + 1) % 4);
      uint64_t n = 1;
      for (size_t axis : axes)
        n *= problem.sizes[axis];
      problem.traffic.push_back(
          allReduce(axes, 1 << (random() % 24), n, 1 + random() % 5));
    }
    AxisOrder chosen = chooseOrder(problem);
    std::vector<size_t> order = {0, 1, 2, 3};
    do
      EXPECT_GE(evaluateOrder(problem, order).seconds,
                chosen.seconds * (1 - 1e-6));
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(evaluateOrder(problem, chosen.order).seconds, chosen.seconds);
  }
}

TEST(AxisOrder, TwoSmallerAxesBeatTheLargest) {
  // By bytes alone 'large' would be innermost and push both others out.
  AxisOrderProblem problem;
  problem.cluster = threeLevels(8, 1 << 19, 1 << 20);
  problem.names = {"large", "left", "right"};
  problem.sizes = {8, 4, 2};
  problem.traffic = {allReduce({0}, 60 << 20, 8, 1),
                     allReduce({1}, 50 << 20, 4, 1),
                     allReduce({2}, 55 << 20, 2, 1)};
  AxisOrder chosen = chooseOrder(problem);
  EXPECT_EQ(chosen.order.front(), 0U);
  EXPECT_EQ(chosen.levels, (std::vector<size_t>{1, 0, 0}));
  EXPECT_NE(whyThere(problem, chosen, 0).find("all axes together take least"),
            std::string::npos);
}

TEST(AxisOrder, EqualOrdersHaveTheChattiestInside) {
  AxisOrderProblem problem;
  problem.cluster = threeLevels(64, 128, 256);
  problem.names = {"quiet", "loud", "silent"};
  problem.sizes = {2, 2, 2};
  problem.traffic = {allReduce({0}, 1 << 10, 2, 1),
                     allReduce({1}, 1 << 20, 2, 1)};
  EXPECT_EQ(chooseOrder(problem).order, (std::vector<size_t>{2, 0, 1}));
}

TEST(Cluster, TextIsReadBack) {
  for (const BuiltinName &one : builtinClusters()) {
    Cluster cluster, again;
    ASSERT_EQ(builtinCluster(one.name, cluster), "");
    if (!cluster.hasLinks())
      continue;
    ASSERT_EQ(readCluster(cluster.text(), "c.json", false, again), "");
    EXPECT_EQ(again.text(), cluster.text());
    EXPECT_EQ(again.device.byWidth, cluster.device.byWidth);
    EXPECT_DOUBLE_EQ(again.device.flopsPerSecond,
                     cluster.device.flopsPerSecond);
  }
}

TEST(Cluster, PeaksByWidth) {
  ComputeModel device;
  device.bytesPerSecond = 1e30;
  device.setPeak(16, 1000);
  device.setPeak(8, 2000);
  auto seconds = [&](plan::ElementType type) {
    plan::GemmT gemm;
    gemm.type = type;
    Work work;
    work.flops = 1000;
    work.product = &gemm;
    return device.seconds(work);
  };
  EXPECT_DOUBLE_EQ(seconds(plan::ElementType::BF16), 1);
  EXPECT_DOUBLE_EQ(seconds(plan::ElementType::F8E4M3FN), 0.5);
  EXPECT_DOUBLE_EQ(seconds(plan::ElementType::F32), 2);
  EXPECT_DOUBLE_EQ(seconds(plan::ElementType::F64), 4);
  EXPECT_DOUBLE_EQ(device.flopsPerSecond, 500);
  EXPECT_EQ(device.peakOf(16).from, 16u);
  EXPECT_EQ(device.peakOf(32).from, 16u);
  EXPECT_EQ(device.peakOf(64).from, 16u);
}

// Nothing is promised to be faster than a peak that was given.
TEST(Cluster, NarrowTypesWithoutAPeakAreAsFastAsWiderOnes) {
  ComputeModel device;
  device.setPeak(32, 100);
  EXPECT_DOUBLE_EQ(device.peakOf(16).flopsPerSecond, 100);
  EXPECT_EQ(device.peakOf(16).from, 32u);
  EXPECT_DOUBLE_EQ(device.peakOf(64).flopsPerSecond, 50);
  device.setPeak(8, 900);
  EXPECT_DOUBLE_EQ(device.peakOf(16).flopsPerSecond, 450);
  EXPECT_DOUBLE_EQ(device.peakOf(32).flopsPerSecond, 100);
  EXPECT_DOUBLE_EQ(device.flopsPerSecond, 100);
}

TEST(Cluster, OneRateForEverything) {
  ComputeModel device;
  ASSERT_EQ(device.parse("2GFLOP/s,1GB/s"), "");
  EXPECT_DOUBLE_EQ(device.peakOf(16).flopsPerSecond, 2e9);
  EXPECT_EQ(device.peakOf(16).from, 0u);
}

} // namespace
} // namespace partopt::simulate
