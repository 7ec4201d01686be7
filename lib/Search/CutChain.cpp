//===- CutChain.cpp - A chain of work cut into balanced stages ------------===//
//
// First the least bound that every stage can keep, by bisection over a greedy
// walk; then, stage by stage, the cheapest cuts that keep it. Within a bound
// the places where a stage may begin, for a given end, are a window that only
// moves on, so the cheapest of them is at the front of a queue.
//
//===----------------------------------------------------------------------===//

#include "partopt/Search/CutChain.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

using namespace partopt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Cutter {
public:
  explicit Cutter(const CutChainProblem &problem)
      : problem(problem), n(int64_t(problem.times.size())), sums(n + 1) {
    for (int64_t i = 0; i < n; ++i)
      sums[i + 1] = sums[i] + problem.times[i];
  }

  std::vector<int64_t> run();

private:
  /// What crosses in front of element `i`; nothing at the ends.
  double crossing(int64_t i) const {
    return i == 0 || i == n ? 0 : problem.crossings[i];
  }
  double stage(int64_t from, int64_t to) const { return sums[to] - sums[from]; }
  double leastBound() const;
  bool cheapest(double bound, std::vector<int64_t> &cuts) const;

  const CutChainProblem &problem;
  int64_t n;
  std::vector<double> sums;
};

/// Cuts that keep `bound` with the least crossing in all; false: there are
/// none.
bool Cutter::cheapest(double bound, std::vector<int64_t> &cuts) const {
  std::vector<double> cost(n + 1, kInfinity);
  cost[0] = 0;
  std::vector<std::vector<int64_t>> from(problem.stages,
                                         std::vector<int64_t>(n + 1, -1));
  for (int64_t k = 0; k < problem.stages; ++k) {
    std::vector<double> next(n + 1, kInfinity);
    // Begins of the stage, cheapest first, without those that a later one that
    // costs no more outlives. A begin that is too far away is so for every
    // later end.
    std::deque<int64_t> begins;
    for (int64_t to = 1; to <= n; ++to) {
      if (cost[to - 1] < kInfinity) {
        while (!begins.empty() && cost[begins.back()] >= cost[to - 1])
          begins.pop_back();
        begins.push_back(to - 1);
      }
      while (!begins.empty() && stage(begins.front(), to) > bound)
        begins.pop_front();
      if (begins.empty())
        continue;
      next[to] = cost[begins.front()] + crossing(to);
      from[k][to] = begins.front();
    }
    cost = std::move(next);
  }
  if (cost[n] == kInfinity)
    return false;
  cuts.clear();
  for (int64_t k = problem.stages - 1, at = n; k > 0; --k)
    cuts.push_back(at = from[k][at]);
  std::reverse(cuts.begin(), cuts.end());
  return true;
}

/// Within a thousandth.
double Cutter::leastBound() const {
  std::vector<int64_t> cuts;
  double low = sums[n] / double(problem.stages);
  double high = sums[n];
  while (high - low > 1e-3 * high) {
    double middle = (low + high) / 2;
    (cheapest(middle, cuts) ? high : low) = middle;
  }
  return high;
}

std::vector<int64_t> Cutter::run() {
  std::vector<int64_t> cuts;
  cheapest(leastBound() * (1 + problem.slack), cuts);
  return cuts;
}

} // namespace

std::string CutChainProblem::check() const {
  if (times.size() != crossings.size())
    return std::to_string(times.size()) + " elements have " +
           std::to_string(crossings.size()) + " crossings";
  if (stages < 1)
    return "there is no stage";
  if (stages > int64_t(times.size()))
    return std::to_string(times.size()) + " elements are no " +
           std::to_string(stages) + " stages";
  auto isBad = [](double value) { return !(value >= 0) || std::isinf(value); };
  if (std::any_of(times.begin(), times.end(), isBad) ||
      std::any_of(crossings.begin(), crossings.end(), isBad))
    return "a time is negative or infinite";
  return "";
}

std::vector<int64_t> partopt::cutChain(const CutChainProblem &problem) {
  if (problem.stages == 1)
    return {};
  return Cutter(problem).run();
}

double partopt::longestStage(const CutChainProblem &problem,
                             const std::vector<int64_t> &cuts) {
  double longest = 0, current = 0;
  size_t next = 0;
  for (size_t i = 0; i < problem.times.size(); ++i) {
    if (next < cuts.size() && int64_t(i) == cuts[next]) {
      longest = std::max(longest, current);
      current = 0;
      ++next;
    }
    current += problem.times[i];
  }
  return std::max(longest, current);
}

std::string partopt::verifyCutChain(const CutChainProblem &problem,
                                    const std::vector<int64_t> &cuts) {
  if (int64_t(cuts.size()) != problem.stages - 1)
    return std::to_string(cuts.size()) + " cuts make no " +
           std::to_string(problem.stages) + " stages";
  int64_t last = 0;
  for (int64_t cut : cuts) {
    if (cut <= last || cut >= int64_t(problem.times.size()))
      return "the stage in front of element " + std::to_string(cut) +
             " is empty";
    last = cut;
  }
  std::vector<int64_t> even;
  for (int64_t k = 1; k < problem.stages; ++k)
    even.push_back(k * int64_t(problem.times.size()) / problem.stages);
  double longest = longestStage(problem, cuts);
  if (longest > (1 + problem.slack) * 1.001 * longestStage(problem, even))
    return "the longest stage takes longer than with equal numbers of elements";
  return "";
}
