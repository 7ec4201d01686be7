//===- PlanFileTest.cpp - Container, mesh arithmetic, byte counts ---------===//
//
// The plan file's envelope refuses what was cut, altered or written by a newer
// build; meshes place ranks as Shardy's text says.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/RingChunks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace partopt;
using namespace partopt::plan;

namespace {

std::unique_ptr<PlanT> samplePlan() {
  test::TestPlan builder({{"data", 2}, {"model", 4}});
  uint32_t x = builder.argument("x", {8}, {{builder.axis("data")}});
  uint32_t y = builder.buffer(16);
  builder.copy(x, y);
  builder.result("y", y, {8}, {{builder.axis("data")}});
  return builder.finish();
}

std::string errorOf(const std::vector<uint8_t> &bytes) {
  std::string error;
  EXPECT_EQ(unpackPlan(bytes.data(), bytes.size(), "p", error), nullptr);
  return error;
}

TEST(PlanFile, RoundTrip) {
  auto plan = samplePlan();
  std::string path =
      testing::TempDir() + "plan." + std::to_string(getpid()) + ".plan";
  ASSERT_EQ(writePlanFile(*plan, path), "");
  std::string error;
  auto again = readPlanFile(path, error);
  ASSERT_NE(again, nullptr) << error;
  EXPECT_EQ(packPlan(*plan), packPlan(*again));
  EXPECT_EQ(again->classes[0]->programs[0]->arguments[0]->tensor->name, "x");
  std::remove(path.c_str());
}

TEST(PlanFile, MissingAndUnwritable) {
  std::string error;
  EXPECT_EQ(readPlanFile("/nonexistent/x.plan", error), nullptr);
  EXPECT_NE(error.find("cannot read"), std::string::npos);
  EXPECT_NE(writePlanFile(*samplePlan(), "/nonexistent/x.plan"), "");
}

TEST(PlanFile, RefusesForeignBytes) {
  EXPECT_NE(errorOf({}).find("is not a partopt plan"), std::string::npos);
  EXPECT_NE(errorOf({'m', 'o', 'd', 'u', 'l', 'e', ' ', '{', '}'})
                .find("is not a partopt plan"),
            std::string::npos);
}

TEST(PlanFile, RefusesEveryTruncation) {
  std::vector<uint8_t> bytes = packPlan(*samplePlan());
  for (size_t size = 8; size < bytes.size(); size += 7)
    EXPECT_NE(errorOf({bytes.begin(), bytes.begin() + size}).find("truncated"),
              std::string::npos);
  bytes.push_back(0);
  EXPECT_NE(errorOf(bytes).find("trailing"), std::string::npos);
}

TEST(PlanFile, RefusesEveryAlteredByte) {
  std::vector<uint8_t> good = packPlan(*samplePlan());
  for (size_t at = 24; at < good.size(); at += 5) {
    std::vector<uint8_t> bytes = good;
    bytes[at] ^= 0x10;
    EXPECT_NE(errorOf(bytes).find("altered"), std::string::npos);
  }
}

// The hash is right, what it protects is not a plan.
TEST(PlanFile, RefusesOtherPayloads) {
  std::vector<uint8_t> bytes = packPlan(*samplePlan());
  std::fill(bytes.begin() + 24, bytes.end(), 0xEE);
  uint64_t hash = hashBytes(bytes.data() + 24, bytes.size() - 24);
  std::memcpy(bytes.data() + 16, &hash, sizeof hash);
  EXPECT_NE(errorOf(bytes).find("does not hold a plan"), std::string::npos);
}

TEST(PlanFile, RefusesNewerVersions) {
  auto plan = samplePlan();
  plan->format_version = formatVersion + 1;
  std::string version = std::to_string(formatVersion + 1);
  EXPECT_NE(errorOf(packPlan(*plan)).find("plan format version " + version),
            std::string::npos);
  std::vector<uint8_t> bytes = packPlan(*samplePlan());
  bytes[7] = 2;
  EXPECT_NE(errorOf(bytes).find("container version 2"), std::string::npos);
}

TEST(MeshMath, RowMajorGroups) {
  test::TestPlan builder({{"data", 2}, {"model", 4}});
  auto plan = builder.finish();
  MeshMath mesh(*plan);
  AxisList data = {AxisRef(0, 1, 2)}, model = {AxisRef(1, 1, 4)};
  AxisList swapped = {AxisRef(1, 1, 4), AxisRef(0, 1, 2)};
  using Ranks = std::vector<uint32_t>;
  EXPECT_EQ(mesh.groupMembers(5, data), (Ranks{1, 5}));
  EXPECT_EQ(mesh.groupMembers(5, model), (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(mesh.groupMembers(0, swapped), (Ranks{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(mesh.groupIndex(6, swapped), 5u);
  EXPECT_EQ(mesh.groupMembers(3, {}), (Ranks{3}));
}

TEST(MeshMath, SubAxes) {
  test::TestPlan builder({{"x", 8}});
  auto plan = builder.finish();
  MeshMath mesh(*plan);
  using Ranks = std::vector<uint32_t>;
  // x = (major 2) (middle 2) (minor 2)
  EXPECT_EQ(mesh.groupMembers(5, {AxisRef(0, 1, 2)}), (Ranks{1, 5}));
  EXPECT_EQ(mesh.groupMembers(5, {AxisRef(0, 2, 2)}), (Ranks{5, 7}));
  EXPECT_EQ(mesh.groupMembers(5, {AxisRef(0, 4, 2)}), (Ranks{4, 5}));
  EXPECT_EQ(mesh.checkAxes({AxisRef(0, 1, 2), AxisRef(0, 2, 4)}), "");
  EXPECT_NE(mesh.checkAxes({AxisRef(0, 1, 4), AxisRef(0, 2, 2)}), "");
  EXPECT_NE(mesh.checkAxes({AxisRef(0, 1, 3)}), "");
  EXPECT_NE(mesh.checkAxes({AxisRef(1, 1, 2)}), "");
  EXPECT_EQ(mesh.axesText({AxisRef(0, 2, 2)}), "{x:(2)2}");
}

TEST(MeshMath, DeviceIds) {
  test::TestPlan builder({{"a", 2}, {"b", 2}});
  auto plan = builder.finish();
  plan->device_ids = {3, 1, 2, 0};
  MeshMath mesh(*plan);
  ASSERT_EQ(mesh.check(), "");
  using Ranks = std::vector<uint32_t>;
  EXPECT_EQ(mesh.groupMembers(0, {AxisRef(0, 1, 2)}), (Ranks{1, 0}));
  EXPECT_EQ(mesh.groupIndex(3, {AxisRef(1, 1, 2)}), 0u);
  plan->device_ids = {3, 1, 2, 3};
  EXPECT_NE(MeshMath(*plan).check(), "");
}

TEST(MeshMath, UnevenShards) {
  test::TestPlan builder({{"data", 4}});
  builder.argument("x", {7, 3}, {{builder.axis("data")}});
  builder.argument("y", {5}, {{builder.axis("data")}});
  auto plan = builder.finish();
  MeshMath mesh(*plan);
  const TensorT &x = *plan->classes[0]->programs[0]->arguments[0]->tensor;
  const TensorT &y = *plan->classes[0]->programs[0]->arguments[1]->tensor;
  EXPECT_EQ(x.local_shape, (test::Shape{2, 3}));
  EXPECT_EQ(mesh.shardRange(3, x)[0].count, 1u);
  EXPECT_EQ(mesh.shardRange(2, y)[0].count, 1u);
  EXPECT_EQ(mesh.shardRange(3, y)[0].count, 0u); // empty shard
}

TEST(RingChunks, CoverAll) {
  for (uint64_t n : {1, 2, 3, 5, 8})
    for (uint64_t count : {0, 1, 4, 7, 100}) {
      uint64_t at = 0;
      for (uint64_t r = 0; r < n; ++r) {
        EXPECT_EQ(ringChunk(count, n, r).begin, at);
        at += ringChunk(count, n, r).count;
      }
      EXPECT_EQ(at, count);
    }
}

TEST(CollectiveBytes, ExactSumsToFormula) {
  CollectiveStartT op;
  op.type = ElementType::F32;
  auto check = [&](CollectiveKind kind, uint64_t n) {
    op.kind = kind;
    op.permutation.clear();
    for (uint64_t member = 0; member < n; ++member)
      op.permutation.push_back(static_cast<uint32_t>((member + 1) % n));
    uint64_t sum = 0;
    for (uint64_t member = 0; member < n; ++member)
      sum += wireBytesSent(op, n, member);
    double expected = formulaWireBytes(op, n) * n;
    if (kind == CollectiveKind::Broadcast) // the chain's last sends nothing
      expected -= static_cast<double>(payloadBytes(op, n));
    EXPECT_DOUBLE_EQ(static_cast<double>(sum), expected)
        << collectiveName(kind) << " over " << n;
    EXPECT_EQ(wireBytesSent(op, 1, 0), 0u);
  };
  for (uint64_t last : {80, 83, 83000}) {
    op.counts = {40, 0, last};
    for (uint64_t n : {2, 3, 4, 5, 8})
      check(CollectiveKind::AllReduce, n);
  }
  op.counts = {40, 0, 80};
  for (CollectiveKind kind : EnumValuesCollectiveKind())
    for (uint64_t n : {5, 8})
      check(kind, n);
}

TEST(ElementTypes, SafetensorsNamesRoundTrip) {
  for (ElementType type : EnumValuesElementType())
    if (const char *name = safetensorsName(type))
      EXPECT_EQ(elementTypeOfSafetensors(name), type);
  EXPECT_EQ(elementTypeOfSafetensors("Q4"), ElementType::Invalid);
}

} // namespace
