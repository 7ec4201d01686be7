// Minimum cuts of random graphs against all cuts tried one by one.

#include "partopt/Search/MinCut.h"

#include <gtest/gtest.h>

#include <random>

using namespace partopt;

namespace {

int64_t cheapestByTrying(const MinCutProblem &problem) {
  int64_t best = MinCutProblem::kInfinite;
  for (unsigned mask = 0; mask < (1u << problem.numNodes); ++mask) {
    if (!(mask & 1) || (mask & 2))
      continue;
    int64_t cut = 0;
    for (const auto &edge : problem.edges)
      if ((mask >> edge.from & 1) && !(mask >> edge.to & 1))
        cut += edge.capacity;
    best = std::min(best, cut);
  }
  return best;
}

TEST(MinCut, EqualsTheCheapestOfAllCuts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    MinCutProblem problem;
    unsigned extra = random() % 7;
    for (unsigned i = 0; i < extra; ++i)
      problem.addNode();
    unsigned edges = random() % 24;
    for (unsigned i = 0; i < edges; ++i) {
      unsigned from = random() % problem.numNodes;
      unsigned to = random() % problem.numNodes;
      if (from != to)
        problem.addEdge(from, to, random() % 20);
    }
    ASSERT_EQ(problem.check(), "");
    MinCutSolution solution = solveMinCut(problem);
    EXPECT_EQ(solution.capacity, cheapestByTrying(problem));
    EXPECT_EQ(verifyMinCut(problem, solution), "");
  }
}

TEST(MinCut, TakesTheCutNearestToTheSource) {
  MinCutProblem problem;
  unsigned a = problem.addNode(), b = problem.addNode();
  problem.addEdge(0, a, 5);
  problem.addEdge(a, b, 5);
  problem.addEdge(b, 1, 5);
  MinCutSolution solution = solveMinCut(problem);
  EXPECT_FALSE(solution.onSourceSide[a]);
  EXPECT_FALSE(solution.onSourceSide[b]);
}

TEST(MinCut, LongChainsDoNotOverflowTheStack) {
  MinCutProblem problem;
  unsigned previous = 0;
  for (int i = 0; i < 200000; ++i) {
    unsigned next = problem.addNode();
    problem.addEdge(previous, next, 3);
    previous = next;
  }
  problem.addEdge(previous, 1, 2);
  EXPECT_EQ(solveMinCut(problem).capacity, 2);
}

TEST(MinCut, RefusesWrongProblemsAndSolutions) {
  MinCutProblem problem;
  problem.addEdge(0, 9, 1);
  EXPECT_EQ(problem.check(), "edge 0 -> 9 leaves the 2 nodes");
  problem.edges = {{0, 1, -1}};
  EXPECT_EQ(problem.check(), "negative capacity -1");
  problem.edges = {{0, 1, 4}};
  MinCutSolution solution = solveMinCut(problem);
  EXPECT_EQ(verifyMinCut(problem, solution), "");
  solution.flow[0] = 5;
  EXPECT_EQ(verifyMinCut(problem, solution), "flow 5 exceeds capacity 4");
  solution.flow[0] = 3;
  EXPECT_EQ(verifyMinCut(problem, solution),
            "the cut costs 4 but the flow is 3");
  solution.onSourceSide[1] = true;
  EXPECT_EQ(verifyMinCut(problem, solution),
            "source and target are not separated");
}

} // namespace
