//===- RunToolTest.cpp - The executable partopt-run -----------------------===//
//
// Exit codes and messages of the run-only tool, and that it needs no compiler.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/PlanFile.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace partopt;

namespace {

struct Outcome {
  int code;
  std::string text; // both streams
};

Outcome runTool(const std::string &arguments,
                const std::string &tool = PARTOPT_RUN_TOOL) {
  FILE *pipe = popen((tool + " " + arguments + " 2>&1").c_str(), "r");
  Outcome outcome{-1, ""};
  if (!pipe)
    return outcome;
  char block[4096];
  size_t got;
  while ((got = fread(block, 1, sizeof(block), pipe)) > 0)
    outcome.text.append(block, got);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

std::string writePlan() {
  test::TestPlan b({{"data", 4}});
  uint32_t x = b.argument("x", {8}, {{b.axis("data")}});
  uint32_t y = b.buffer(32);
  b.start(plan::CollectiveKind::AllGather, {b.axis("data")}, {x}, {y}, {2},
          plan::Combiner::None);
  b.wait(0);
  b.result("y", y, {8}, {});
  std::string path = testing::TempDir() + std::to_string(getpid()) + ".plan";
  EXPECT_EQ(plan::writePlanFile(*b.finish(), path), "");
  return path;
}

TEST(RunTool, RunsAPlanFile) {
  std::string path = writePlan();
  Outcome outcome = runTool(path + " --inputs random:1 --steps 2");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("step 1"), std::string::npos);
  EXPECT_EQ(runTool(path + " --inputs random:1 --fault throw:3@0").code, 4);
  EXPECT_EQ(runTool(path).code, 2);
  unlink(path.c_str());
}

TEST(RunTool, RefusesBadPlansAndOptions) {
  std::string path = writePlan();
  EXPECT_EQ(truncate(path.c_str(), 200), 0);
  Outcome outcome = runTool(path + " --inputs random:1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.text.find("is truncated"), std::string::npos);
  unlink(path.c_str());
  EXPECT_EQ(runTool("").code, 2);
  EXPECT_EQ(runTool("/nonexistent.plan").code, 2);
  EXPECT_EQ(runTool("a.plan b.plan").code, 2);
  EXPECT_EQ(runTool("a.plan --no-such-option").code, 2);
  EXPECT_EQ(runTool("a.plan --steps x").code, 2);
  EXPECT_EQ(runTool("--help").code, 0);
}

TEST(RunTool, LinksNoCompiler) {
  Outcome outcome = runTool(PARTOPT_RUN_TOOL, "ldd");
  EXPECT_NE(outcome.text.find("libc.so"), std::string::npos);
  EXPECT_EQ(outcome.text.find("LLVM"), std::string::npos);
  EXPECT_EQ(outcome.text.find("MLIR"), std::string::npos);
}

} // namespace
