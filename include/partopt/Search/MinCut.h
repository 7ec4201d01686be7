// Minimum cut of a directed graph, with its proof.

#ifndef PARTOPT_SEARCH_MINCUT_H
#define PARTOPT_SEARCH_MINCUT_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace partopt {

/// Separate node 0 (source) from node 1 (target) by removing edges of least
/// total capacity.
struct MinCutProblem {
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

  struct Edge {
    unsigned from, to;
    int64_t capacity;
  };
  unsigned numNodes = 2;
  std::vector<Edge> edges;

  unsigned addNode() { return numNodes++; }
  void addEdge(unsigned from, unsigned to, int64_t capacity) {
    edges.push_back({from, to, capacity});
  }
  /// Empty, or what is wrong with the problem.
  std::string check() const;
};

/// `onSourceSide[v]`; among all minimum cuts the one nearest to the source.
/// `flow[e]` is a maximum flow, the proof that no cut is cheaper.
struct MinCutSolution {
  std::vector<bool> onSourceSide;
  std::vector<int64_t> flow;
  int64_t capacity = 0;
};

/// Dinic's algorithm (E. A. Dinic, 1970): O(V^2 E), near linear on the shallow
/// graphs met here. A cut of infinite capacity has capacity >= kInfinite.
MinCutSolution solveMinCut(const MinCutProblem &problem);

/// Checks by duality: the flow is feasible and equals the cut's capacity.
/// Empty, or what is wrong.
std::string verifyMinCut(const MinCutProblem &problem,
                         const MinCutSolution &solution);

} // namespace partopt

#endif // PARTOPT_SEARCH_MINCUT_H
