//===- MachineTest.cpp - Links and devices --------------------------------===//
//
// The texts of links and devices, and what they cost.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Simulate/ComputeModel.h"
#include "partopt/Simulate/LinkModel.h"
#include "partopt/Simulate/Quantities.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::simulate;
using test::TestPlan;

namespace {

TEST(Quantities, UnitsAreRead) {
  EXPECT_DOUBLE_EQ(*parseTime("50us"), 50e-6);
  EXPECT_DOUBLE_EQ(*parseTime("1.5ms"), 1.5e-3);
  EXPECT_DOUBLE_EQ(*parseTime("200ns"), 200e-9);
  EXPECT_DOUBLE_EQ(*parseTime("0s"), 0);
  EXPECT_DOUBLE_EQ(*parseByteRate("1GB/s"), 1e9);
  EXPECT_DOUBLE_EQ(*parseByteRate("8B/s"), 8);
  EXPECT_DOUBLE_EQ(*parseByteRate("2.5KB/s"), 2500);
  EXPECT_DOUBLE_EQ(*parseFlopRate("20GFLOP/s"), 20e9);
  for (const char *text : {"", "50", "us", "-1us", "1e3us", "50 us", "1.2.3us",
                           "50usx", "50min", "nanus"})
    EXPECT_FALSE(parseTime(text)) << text;
  for (const char *text : {"0B/s", "1GB", "1Gb/s", "GB/s", "1GFLOP/s"})
    EXPECT_FALSE(parseByteRate(text)) << text;
  EXPECT_FALSE(parseFlopRate("0FLOP/s"));
}

TEST(LinkModel, ErrorsSayWhatIsWrong) {
  LinkModel model;
  EXPECT_EQ(model.add("data=50us,1GB/s"), "");
  auto has = [&](const char *text, const char *part) {
    std::string wrong = LinkModel(model).add(text);
    EXPECT_NE(wrong.find(part), std::string::npos) << wrong;
  };
  has("50us,1GB/s", "'50us,1GB/s' names no axis; write AXIS=LATENCY,BANDWIDTH");
  has("=50us,1GB/s", "names no axis");
  has("model=50us", "is no latency and bandwidth");
  has("model=50,1GB/s", "'50' is no latency (units s, ms, us, ns)");
  has("model=50us,1G", "'1G' is no bandwidth (units B/s");
  has("data=1us,1GB/s", "axis 'data' is given twice");
}

TEST(LinkModel, AxesAreFoundInTheMesh) {
  TestPlan b({{"data", 2}, {"model", 4}, {"seq", 2}});
  LinkModel model;
  ASSERT_EQ(model.add("model=1ms,1MB/s"), "");
  ASSERT_EQ(model.add("*=2us,1GB/s"), "");
  std::vector<LinkSpeed> links;
  ASSERT_EQ(model.resolve(b.plan(), links), "");
  ASSERT_EQ(links.size(), 3u);
  EXPECT_DOUBLE_EQ(links[0].latency, 2e-6);
  EXPECT_DOUBLE_EQ(links[1].bytesPerSecond, 1e6);
  EXPECT_DOUBLE_EQ(links[2].bytesPerSecond, 1e9);
  // The slowest axis of a group; of equals the first.
  EXPECT_EQ(slowestAxis(links, {b.axis("data"), b.axis("model")}), 1);
  EXPECT_EQ(slowestAxis(links, {b.axis("seq"), b.axis("data")}), 2);
  EXPECT_EQ(slowestAxis(links, {}), -1);
  EXPECT_EQ(slowestAxis({}, {b.axis("data")}), -1);
  ASSERT_EQ(model.add("pipe=1us,1GB/s"), "");
  EXPECT_EQ(model.resolve(b.plan(), links),
            "the mesh has no axis 'pipe', only: data, model, seq");
}

TEST(LinkModel, AnAxisWithoutALinkIsInstant) {
  TestPlan b({{"data", 2}, {"model", 4}});
  LinkModel model;
  std::vector<LinkSpeed> links;
  ASSERT_EQ(model.resolve(b.plan(), links), "");
  EXPECT_TRUE(links.empty());
  ASSERT_EQ(model.add("data=1s,1B/s"), "");
  ASSERT_EQ(model.resolve(b.plan(), links), "");
  EXPECT_EQ(links[1].latency, 0);
  EXPECT_EQ(links[1].occupancy(1 << 30), 0);
  EXPECT_EQ(links[0].occupancy(7), 7);
}

TEST(ComputeModel, TextAndTimes) {
  ComputeModel model;
  EXPECT_TRUE(model.empty());
  EXPECT_EQ(model.seconds({1e9, 1e9}), 0);
  ASSERT_EQ(model.parse("2GFLOP/s, 1GB/s, 10us"), "");
  EXPECT_DOUBLE_EQ(model.seconds({2e9, 0}), 1 + 10e-6);
  EXPECT_DOUBLE_EQ(model.seconds({2e9, 3e9}), 3 + 10e-6);
  EXPECT_EQ(model.seconds({0, 0}), 0);
  ASSERT_EQ(model.parse("2GFLOP/s,1GB/s"), "");
  EXPECT_DOUBLE_EQ(model.seconds({2e9, 0}), 1);
  for (const char *text :
       {"", "2GFLOP/s", "1GB/s,2GFLOP/s", "2GFLOP/s,1GB/s,10", "1,2,3,4"})
    EXPECT_NE(model.parse(text), "") << text;
}

} // namespace
