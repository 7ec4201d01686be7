//===- CalibrationTest.cpp - What kernels cost, from a file ---------------===//
//
// Reading the file, its errors, and what lies between measured points.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Machine.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::simulate;

namespace {

const char *good = R"({"kind": "partopt-calibration", "cores": 2,
  "launch_s": 1e-6, "product_call_s": 2e-6, "flops_per_s": 4e9,
  "functions_per_s": 1e9, "contractions_per_s": 8e9,
  "shuffled_bytes_per_s": 2e9, "message_s": 1e-5,
  "stored_bytes_per_s": 3e9, "combined_bytes_per_s": 1e9,
  "memory": [{"bytes": 1e3, "bytes_per_s": 16e9},
             {"bytes": 1e5, "bytes_per_s": 4e9}],
  "products": [{"m": 64, "n": 64, "k": 64, "flops_per_s": 10e9},
               {"m": 1024, "n": 1024, "k": 1024, "flops_per_s": 40e9,
                "form": "nt"}]})";

TEST(Calibration, IsReadAndInterpolated) {
  Calibration one;
  ASSERT_EQ(one.parse(good), "");
  EXPECT_EQ(one.cores, 2u);
  EXPECT_DOUBLE_EQ(one.memoryRate(1), 16e9);
  EXPECT_DOUBLE_EQ(one.memoryRate(1e9), 4e9);
  EXPECT_NEAR(one.memoryRate(1e4), 8e9, 1); // half way in both logarithms
  EXPECT_NEAR(one.productRate({64, 64, 64}) / 10e9, 1, 1e-4);
  EXPECT_NEAR(one.productRate({1024, 1024, 1024, false, true}) / 40e9, 1, 1e-4);
  double between = one.productRate({256, 256, 256});
  EXPECT_GT(between, 12e9);
  EXPECT_LT(between, 35e9);
}

TEST(Calibration, WorkIsPricedByItsKind) {
  Calibration one;
  ASSERT_EQ(one.parse(good), "");
  Work work;
  EXPECT_EQ(one.seconds(work), 0);
  work.bytes = 1e5;
  EXPECT_DOUBLE_EQ(one.seconds(work), 1e-6 + 1e5 / 4e9);
  work.flops = 1e6; // hides the traffic
  EXPECT_DOUBLE_EQ(one.seconds(work), 1e-6 + 1e6 / 4e9);
  work.functions = 4e5;
  EXPECT_DOUBLE_EQ(one.seconds(work), 1e-6 + 6e5 / 4e9 + 4e5 / 1e9);
  work.contractions = 6e5;
  EXPECT_DOUBLE_EQ(one.seconds(work), 1e-6 + 4e5 / 1e9 + 6e5 / 8e9);
  Work moved;
  moved.bytes = moved.shuffled = 1e5;
  EXPECT_DOUBLE_EQ(one.seconds(moved), 1e-6 + 1e5 / 2e9);
  plan::GemmT gemm;
  gemm.m = gemm.n = gemm.k = 64;
  gemm.batch = 3;
  Work product;
  product.flops = 3.0 * 2 * 64 * 64 * 64;
  product.product = &gemm;
  EXPECT_NEAR(one.seconds(product), 6e-6 + product.flops / 10e9, 1e-8);
}

TEST(Calibration, BadFilesAreRefused) {
  auto has = [](const char *text, const char *part) {
    std::string wrong = Calibration().parse(text);
    EXPECT_NE(wrong.find(part), std::string::npos) << wrong;
  };
  has("", "is no JSON object");
  has("[1]", "is no JSON object");
  has("{}", "write one with partopt bench kernels --json FILE");
  std::string head = R"({"kind": "partopt-calibration", )";
  has((head + R"("flops_per_s": 0})").c_str(), "'flops_per_s' is 0");
  has((head + R"("launch_s": "x"})").c_str(), "'launch_s' is \"x\"");
  has((head + R"("products": []})").c_str(), "no list of measured products");
  has((head + R"("products": [{"m": 1, "n": 1, "k": 1}]})").c_str(),
      "no 'flops_per_s'");
  has((head + R"("memory": [3]})").c_str(), "'memory' holds 3");
  has((head + R"("memory": [{"bytes": 9, "bytes_per_s": 1},
                            {"bytes": 9, "bytes_per_s": 1}]})")
          .c_str(),
      "which rise");
  EXPECT_EQ(Calibration().read("no-such-file"), "cannot read 'no-such-file'");
}

TEST(MachineOptions, TextGoesBothWays) {
  MachineOptions options;
  EXPECT_EQ(options.text(), "");
  ASSERT_EQ(options.set("link", "data=50us,1GB/s"), "");
  ASSERT_EQ(options.set("link", "*=1us,2GB/s"), "");
  ASSERT_EQ(options.set("compute", "model=2GFLOP/s,1GB/s"), "");
  std::string text = "link=data=50us,1GB/s;link=*=1us,2GB/s;compute=model="
                     "2GFLOP/s,1GB/s";
  EXPECT_EQ(options.text(), text);
  MachineOptions again;
  ASSERT_EQ(again.parse(text), "");
  EXPECT_DOUBLE_EQ(again.links.over("data").latency, 50e-6);
  EXPECT_DOUBLE_EQ(again.device.flopsPerSecond, 2e9);
  EXPECT_EQ(again.parse("speed=3"),
            "'speed=3' is no link, compute, overlap, calibration or cluster");
  EXPECT_NE(again.parse("compute=slow"), "");
}

} // namespace
