// Minimum cut by Dinic's blocking flows, and its check by duality.

#include "partopt/Search/MinCut.h"

#include <algorithm>
#include <deque>

using namespace partopt;

namespace {

/// The residual graph: edge 2i is problem edge i, 2i+1 its reverse.
class Residual {
public:
  explicit Residual(const MinCutProblem &problem)
      : numNodes(problem.numNodes), first(numNodes + 1, 0) {
    for (const auto &edge : problem.edges) {
      target.push_back(edge.to);
      target.push_back(edge.from);
      left.push_back(edge.capacity);
      left.push_back(0);
    }
    for (size_t e = 0; e < target.size(); ++e)
      ++first[target[e ^ 1] + 1];
    for (unsigned v = 0; v < numNodes; ++v)
      first[v + 1] += first[v];
    order.resize(target.size());
    std::vector<unsigned> next(first.begin(), first.end() - 1);
    for (size_t e = 0; e < target.size(); ++e)
      order[next[target[e ^ 1]]++] = e;
  }

  /// Distance from node 0 along edges with capacity left; -1 if unreachable.
  std::vector<int> levels() const {
    std::vector<int> level(numNodes, -1);
    std::deque<unsigned> queue{0};
    level[0] = 0;
    while (!queue.empty()) {
      unsigned v = queue.front();
      queue.pop_front();
      for (unsigned i = first[v]; i < first[v + 1]; ++i) {
        unsigned e = order[i];
        if (left[e] > 0 && level[target[e]] < 0) {
          level[target[e]] = level[v] + 1;
          queue.push_back(target[e]);
        }
      }
    }
    return level;
  }

  /// Pushes one augmenting path along rising levels; 0 when none is left.
  /// Iterative, since paths are as long as the model's longest chain.
  int64_t augment(const std::vector<int> &level, std::vector<unsigned> &next) {
    std::vector<unsigned> path;
    unsigned v = 0;
    while (v != 1) {
      bool advanced = false;
      for (; next[v] < first[v + 1]; ++next[v]) {
        unsigned e = order[next[v]];
        if (left[e] > 0 && level[target[e]] == level[v] + 1) {
          path.push_back(e);
          v = target[e];
          advanced = true;
          break;
        }
      }
      if (advanced)
        continue;
      if (path.empty())
        return 0;
      v = target[path.back() ^ 1];
      path.pop_back();
      ++next[v];
    }
    int64_t amount = MinCutProblem::kInfinite;
    for (unsigned e : path)
      amount = std::min(amount, left[e]);
    for (unsigned e : path) {
      left[e] -= amount;
      left[e ^ 1] += amount;
    }
    return amount;
  }

  const std::vector<unsigned> &starts() const { return first; }
  int64_t flow(size_t edge) const { return left[2 * edge + 1]; }

private:
  unsigned numNodes;
  std::vector<unsigned> first, order, target;
  std::vector<int64_t> left;
};

} // namespace

std::string MinCutProblem::check() const {
  for (const Edge &edge : edges) {
    if (edge.from >= numNodes || edge.to >= numNodes)
      return "edge " + std::to_string(edge.from) + " -> " +
             std::to_string(edge.to) + " leaves the " +
             std::to_string(numNodes) + " nodes";
    if (edge.capacity < 0)
      return "negative capacity " + std::to_string(edge.capacity);
  }
  return "";
}

MinCutSolution partopt::solveMinCut(const MinCutProblem &problem) {
  Residual residual(problem);
  MinCutSolution solution;
  while (true) {
    std::vector<int> level = residual.levels();
    if (level[1] < 0 || solution.capacity >= MinCutProblem::kInfinite) {
      for (int l : level)
        solution.onSourceSide.push_back(l >= 0);
      break;
    }
    std::vector<unsigned> next(residual.starts().begin(),
                               residual.starts().end() - 1);
    while (int64_t amount = residual.augment(level, next)) {
      solution.capacity += amount;
      if (solution.capacity >= MinCutProblem::kInfinite)
        break;
    }
  }
  for (size_t e = 0; e < problem.edges.size(); ++e)
    solution.flow.push_back(residual.flow(e));
  return solution;
}

std::string partopt::verifyMinCut(const MinCutProblem &problem,
                                  const MinCutSolution &solution) {
  if (solution.onSourceSide.size() != problem.numNodes ||
      solution.flow.size() != problem.edges.size())
    return "the solution has the wrong size";
  if (!solution.onSourceSide[0] || solution.onSourceSide[1])
    return "source and target are not separated";
  std::vector<int64_t> balance(problem.numNodes, 0);
  int64_t cut = 0;
  for (size_t e = 0; e < problem.edges.size(); ++e) {
    const auto &edge = problem.edges[e];
    int64_t flow = solution.flow[e];
    if (flow < 0 || flow > edge.capacity)
      return "flow " + std::to_string(flow) + " exceeds capacity " +
             std::to_string(edge.capacity);
    balance[edge.from] -= flow;
    balance[edge.to] += flow;
    if (solution.onSourceSide[edge.from] && !solution.onSourceSide[edge.to])
      cut += edge.capacity;
  }
  for (unsigned v = 2; v < problem.numNodes; ++v)
    if (balance[v] != 0)
      return "node " + std::to_string(v) + " does not conserve flow";
  if (cut != balance[1] || cut != solution.capacity)
    return "the cut costs " + std::to_string(cut) + " but the flow is " +
           std::to_string(balance[1]);
  return "";
}
