//===- CutChain.cpp - A chain of work cut into balanced stages ------------===//
//
// First the least bound that every stage can keep, by bisection over a greedy
// walk; then, stage by stage, the cheapest cuts that keep it. Within a bound
// the places where a stage may begin, for a given end, are a window that only
// moves on, so the cheapest of them is at the front of a queue. Memory bounds
// the window too: a longer stage never needs less.
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

/// What is held by an element: places in CutChainProblem::held.
using HeldAt = std::vector<std::vector<size_t>>;

HeldAt heldAt(const CutChainProblem &problem) {
  HeldAt at(problem.times.size());
  for (size_t i = 0; i < problem.held.size(); ++i)
    for (int64_t element : problem.held[i].elements)
      at[element].push_back(i);
  return at;
}

/// The memory of a stage whose begin and end only move on.
class MemoryWindow {
public:
  MemoryWindow(const CutChainProblem &problem, const HeldAt &at, int64_t stage)
      : problem(problem), at(at), users(problem.held.size()),
        kept(problem.kept.empty() ? 1 : problem.kept[stage]) {}

  int64_t moveTo(int64_t newBegin, int64_t newEnd) {
    for (; end < newEnd; ++end)
      add(end, 1);
    for (; begin < newBegin; ++begin)
      add(begin, -1);
    return bytes;
  }

private:
  void add(int64_t element, int64_t sign) {
    if (!problem.left.empty())
      bytes += sign * kept * problem.left[element];
    for (size_t held : at[element]) {
      bool isFirst = sign > 0 && users[held] == 0;
      users[held] += sign;
      if (isFirst || users[held] == 0)
        bytes += sign * problem.held[held].bytes;
    }
  }

  const CutChainProblem &problem;
  const HeldAt &at;
  std::vector<int64_t> users; ///< elements of the window, by what they hold
  int64_t kept, begin = 0, end = 0, bytes = 0;
};

class Cutter {
public:
  explicit Cutter(const CutChainProblem &problem)
      : problem(problem), at(heldAt(problem)), n(int64_t(problem.times.size())),
        sums(n + 1),
        memory(problem.memory.value_or(std::numeric_limits<int64_t>::max())) {
    for (int64_t i = 0; i < n; ++i)
      sums[i + 1] = sums[i] + problem.times[i];
  }

  std::vector<int64_t> run();
  int64_t leastMemory();

private:
  /// What crosses in front of element `i`; nothing at the ends.
  double crossing(int64_t i) const {
    return i == 0 || i == n ? 0 : problem.crossings[i];
  }
  double stage(int64_t from, int64_t to) const { return sums[to] - sums[from]; }
  double leastBound() const;
  bool cheapest(double bound, std::vector<int64_t> &cuts) const;

  const CutChainProblem &problem;
  HeldAt at;
  int64_t n;
  std::vector<double> sums;
  int64_t memory; ///< that a stage may need
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
    MemoryWindow window(problem, at, k);
    auto isTooMuch = [&](int64_t from, int64_t to) {
      return stage(from, to) > bound || window.moveTo(from, to) > memory;
    };
    for (int64_t to = 1; to <= n; ++to) {
      if (cost[to - 1] < kInfinity) {
        while (!begins.empty() && cost[begins.back()] >= cost[to - 1])
          begins.pop_back();
        begins.push_back(to - 1);
      }
      while (!begins.empty() && isTooMuch(begins.front(), to))
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

int64_t Cutter::leastMemory() {
  std::vector<int64_t> cuts;
  int64_t low = 0;
  int64_t high = 0; // of one stage that has and keeps all
  for (const CutChainProblem::Held &held : problem.held)
    high += held.elements.empty() ? 0 : held.bytes;
  int64_t mostKept =
      problem.kept.empty()
          ? 1
          : *std::max_element(problem.kept.begin(), problem.kept.end());
  for (int64_t bytes : problem.left)
    high += mostKept * bytes;
  while (low < high) {
    memory = low + (high - low) / 2;
    if (cheapest(kInfinity, cuts))
      high = memory;
    else
      low = memory + 1;
  }
  return low;
}

std::vector<int64_t> Cutter::run() {
  std::vector<int64_t> cuts;
  if (problem.memory && !cheapest(sums[n], cuts))
    memory = leastMemory();
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
  return checkMemory();
}

std::string CutChainProblem::checkMemory() const {
  int64_t n = int64_t(times.size());
  if (!left.empty() && int64_t(left.size()) != n)
    return std::to_string(n) + " elements have " + std::to_string(left.size()) +
           " numbers of bytes that they leave";
  if (!kept.empty() && int64_t(kept.size()) != stages)
    return std::to_string(stages) + " stages have " +
           std::to_string(kept.size()) + " numbers of microbatches to keep";
  auto isNegative = [](int64_t value) { return value < 0; };
  if (std::any_of(left.begin(), left.end(), isNegative) ||
      std::any_of(kept.begin(), kept.end(), isNegative))
    return "a number of bytes or microbatches is negative";
  for (const Held &one : held) {
    if (one.bytes < 0)
      return "a number of bytes or microbatches is negative";
    int64_t last = -1;
    for (int64_t element : one.elements) {
      if (element <= last || element >= n)
        return "what is held is of element " + std::to_string(element) +
               ", behind " + std::to_string(last) + " of " + std::to_string(n);
      last = element;
    }
  }
  return "";
}

std::vector<int64_t> partopt::cutChain(const CutChainProblem &problem) {
  if (problem.stages == 1)
    return {};
  return Cutter(problem).run();
}

int64_t partopt::leastMemory(const CutChainProblem &problem) {
  return Cutter(problem).leastMemory();
}

std::vector<int64_t> partopt::stageMemory(const CutChainProblem &problem,
                                          const std::vector<int64_t> &cuts) {
  HeldAt at = heldAt(problem);
  std::vector<int64_t> bytes;
  int64_t begin = 0;
  for (int64_t k = 0; k <= int64_t(cuts.size()); ++k) {
    int64_t end =
        k < int64_t(cuts.size()) ? cuts[k] : int64_t(problem.times.size());
    bytes.push_back(MemoryWindow(problem, at, k).moveTo(begin, end));
    begin = end;
  }
  return bytes;
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
  std::vector<int64_t> needs = stageMemory(problem, cuts);
  int64_t fullest = *std::max_element(needs.begin(), needs.end());
  if (problem.memory &&
      fullest > std::max(*problem.memory, leastMemory(problem)))
    return "the fullest stage needs " + std::to_string(fullest) +
           " bytes, more than the " + std::to_string(*problem.memory) +
           " that are there";
  std::vector<int64_t> even;
  for (int64_t k = 1; k < problem.stages; ++k)
    even.push_back(k * int64_t(problem.times.size()) / problem.stages);
  std::vector<int64_t> evenNeeds = stageMemory(problem, even);
  if (problem.memory &&
      *std::max_element(evenNeeds.begin(), evenNeeds.end()) > *problem.memory)
    return "";
  double longest = longestStage(problem, cuts);
  if (longest > (1 + problem.slack) * 1.001 * longestStage(problem, even))
    return "the longest stage takes longer than with equal numbers of elements";
  return "";
}
