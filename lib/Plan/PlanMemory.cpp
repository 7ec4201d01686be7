//===- PlanMemory.cpp - Offsets of buffers in the arena -------------------===//
//
// Three families of placements are tried and the smallest arena wins: a best
// fit along time (an allocator's run), a skyline (each buffer on top of what is
// already placed during its lifetime), and for small problems the lowest gap.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanMemory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace partopt;

namespace {

using Order = std::vector<size_t>;

int64_t alignUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Interval indices sorted by `key` (smaller first), ties by index.
template <typename Key> Order sortedBy(size_t n, Key key) {
  Order order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(key(a), a) < std::tuple(key(b), b);
  });
  return order;
}

//===----------------------------------------------------------------------===//
// Best fit along time
//===----------------------------------------------------------------------===//

/// Free byte ranges below the top of the arena.
class FreeList {
public:
  /// The smallest free range that holds `bytes`, or the top.
  int64_t allocate(int64_t bytes) {
    auto fit = bySize.lower_bound({bytes, 0});
    if (fit != bySize.end()) {
      auto [size, offset] = *fit;
      bySize.erase(fit);
      byOffset.erase(offset);
      insert(offset + bytes, size - bytes);
      return offset;
    }
    // A free range that ends at the top grows upwards.
    int64_t offset = top;
    if (!byOffset.empty()) {
      auto last = std::prev(byOffset.end());
      if (last->first + last->second == top) {
        offset = last->first;
        bySize.erase({last->second, last->first});
        byOffset.erase(last);
      }
    }
    top = offset + bytes;
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + bytes) {
      bytes += next->second;
      bySize.erase({next->second, next->first});
      next = byOffset.erase(next);
    }
    if (next != byOffset.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        bySize.erase({before->second, before->first});
        byOffset.erase(before);
      }
    }
    insert(offset, bytes);
  }

private:
  void insert(int64_t offset, int64_t bytes) {
    if (bytes == 0)
      return;
    byOffset[offset] = bytes;
    bySize.insert({bytes, offset});
  }

  int64_t top = 0;
  std::map<int64_t, int64_t> byOffset;          // offset -> bytes
  std::set<std::pair<int64_t, int64_t>> bySize; // (bytes, offset)
};

std::vector<int64_t> bestFitAlongTime(const MemoryProblem &problem) {
  const auto &intervals = problem.intervals;
  size_t n = intervals.size();
  std::vector<int64_t> offsets(n, 0);
  auto bytes = [&](size_t i) {
    return alignUp(intervals[i].bytes, problem.alignment);
  };
  // Large ones first within one instruction: they are the hardest to fit.
  Order starts = sortedBy(
      n, [&](size_t i) { return std::pair(intervals[i].first, -bytes(i)); });
  Order ends = sortedBy(n, [&](size_t i) { return intervals[i].last; });
  FreeList list;
  size_t released = 0;
  for (size_t i : starts) {
    while (intervals[ends[released]].last < intervals[i].first) {
      size_t dead = ends[released++];
      if (bytes(dead) != 0)
        list.release(offsets[dead], bytes(dead));
    }
    if (bytes(i) != 0)
      offsets[i] = list.allocate(bytes(i));
  }
  return offsets;
}

//===----------------------------------------------------------------------===//
// Skyline
//===----------------------------------------------------------------------===//

/// Heights over compressed time: maximum over a range, and raising a range to a
/// height that is at least its maximum.
class Skyline {
public:
  explicit Skyline(size_t slots) : size(1) {
    while (size < slots)
      size *= 2;
    best.assign(2 * size, 0);
    all.assign(2 * size, 0);
  }

  int64_t maximum(size_t lo, size_t hi) const {
    return maximum(1, 0, size - 1, lo, hi);
  }
  void raise(size_t lo, size_t hi, int64_t height) {
    raise(1, 0, size - 1, lo, hi, height);
  }

private:
  int64_t maximum(size_t node, size_t a, size_t b, size_t lo, size_t hi) const {
    if (hi < a || b < lo)
      return 0;
    if (lo <= a && b <= hi)
      return best[node];
    size_t mid = (a + b) / 2;
    return std::max({all[node], maximum(2 * node, a, mid, lo, hi),
                     maximum(2 * node + 1, mid + 1, b, lo, hi)});
  }
  void raise(size_t node, size_t a, size_t b, size_t lo, size_t hi,
             int64_t height) {
    if (hi < a || b < lo)
      return;
    best[node] = std::max(best[node], height);
    if (lo <= a && b <= hi) {
      all[node] = std::max(all[node], height);
      return;
    }
    size_t mid = (a + b) / 2;
    raise(2 * node, a, mid, lo, hi, height);
    raise(2 * node + 1, mid + 1, b, lo, hi, height);
  }

  size_t size;
  std::vector<int64_t> best; // maximum below the node
  std::vector<int64_t> all;  // height that the whole node has at least
};

std::vector<int64_t> stackInOrder(const MemoryProblem &problem,
                                  const Order &order) {
  const auto &intervals = problem.intervals;
  std::vector<int64_t> times;
  for (const MemoryInterval &interval : intervals) {
    times.push_back(interval.first);
    times.push_back(interval.last);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto slot = [&](int64_t time) {
    return size_t(std::lower_bound(times.begin(), times.end(), time) -
                  times.begin());
  };
  Skyline skyline(times.size());
  std::vector<int64_t> offsets(intervals.size(), 0);
  for (size_t i : order) {
    int64_t bytes = alignUp(intervals[i].bytes, problem.alignment);
    if (bytes == 0)
      continue;
    size_t lo = slot(intervals[i].first), hi = slot(intervals[i].last);
    offsets[i] = skyline.maximum(lo, hi);
    skyline.raise(lo, hi, offsets[i] + bytes);
  }
  return offsets;
}

//===----------------------------------------------------------------------===//
// Lowest gap
//===----------------------------------------------------------------------===//

/// Places in `order`, each at the lowest offset that is free for its whole
/// lifetime. Placed intervals are kept sorted by offset; quadratic.
std::vector<int64_t> lowestGapInOrder(const MemoryProblem &problem,
                                      const Order &order) {
  const auto &intervals = problem.intervals;
  std::vector<int64_t> offsets(intervals.size(), 0);
  struct Placed {
    int64_t offset, end, first, last;
  };
  std::vector<Placed> placed;
  for (size_t i : order) {
    const MemoryInterval &interval = intervals[i];
    int64_t bytes = alignUp(interval.bytes, problem.alignment);
    if (bytes == 0)
      continue;
    int64_t offset = 0;
    for (const Placed &p : placed) {
      if (p.last < interval.first || interval.last < p.first)
        continue;
      if (p.offset - offset >= bytes)
        break;
      offset = std::max(offset, p.end);
    }
    offsets[i] = offset;
    Placed entry{offset, offset + bytes, interval.first, interval.last};
    auto at = std::upper_bound(
        placed.begin(), placed.end(), entry,
        [](const Placed &a, const Placed &b) { return a.offset < b.offset; });
    placed.insert(at, entry);
  }
  return offsets;
}

int64_t arenaBytes(const MemoryProblem &problem,
                   const std::vector<int64_t> &offsets) {
  int64_t top = 0;
  for (size_t i = 0; i < offsets.size(); ++i)
    top = std::max(top, offsets[i] + alignUp(problem.intervals[i].bytes,
                                             problem.alignment));
  return top;
}

/// Changes of the bytes in use: (time, change), sorted; frees come at last + 1.
std::vector<std::pair<int64_t, int64_t>>
usageChanges(const MemoryProblem &problem) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const MemoryInterval &interval : problem.intervals) {
    int64_t bytes = alignUp(interval.bytes, problem.alignment);
    changes.push_back({interval.first, bytes});
    changes.push_back({interval.last + 1, -bytes});
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

std::string intervalText(size_t i, const MemoryProblem &problem) {
  const MemoryInterval &interval = problem.intervals[i];
  return std::to_string(i) + " (" + std::to_string(interval.bytes) +
         " bytes, live [" + std::to_string(interval.first) + ", " +
         std::to_string(interval.last) + "])";
}

} // namespace

std::string MemoryProblem::check() const {
  if (alignment <= 0)
    return "alignment must be positive";
  for (size_t i = 0; i < intervals.size(); ++i) {
    const MemoryInterval &interval = intervals[i];
    if (interval.bytes < 0 || interval.first < 0 ||
        interval.last < interval.first)
      return "malformed interval " + intervalText(i, *this);
  }
  return "";
}

int64_t MemoryProblem::lowerBound() const {
  int64_t used = 0, most = 0;
  // Sorted pairs put frees (negative) before uses of the same instruction.
  for (auto [time, change] : usageChanges(*this))
    most = std::max(most, used += change);
  return most;
}

MemorySolution partopt::planMemory(const MemoryProblem &problem) {
  const auto &intervals = problem.intervals;
  size_t n = intervals.size();
  MemorySolution best;
  bool found = false;
  int64_t bound = problem.lowerBound();
  auto offer = [&](std::vector<int64_t> offsets) {
    int64_t bytes = arenaBytes(problem, offsets);
    if (!found || bytes < best.bytes)
      best = {std::move(offsets), bytes};
    found = true;
    return best.bytes == bound;
  };
  if (n == 0 || offer(bestFitAlongTime(problem)))
    return best;
  auto duration = [&](size_t i) {
    return intervals[i].last - intervals[i].first + 1;
  };
  const Order orders[] = {
      sortedBy(n,
               [&](size_t i) {
                 return std::pair(-intervals[i].bytes, -duration(i));
               }),
      sortedBy(n,
               [&](size_t i) {
                 return std::pair(-duration(i), -intervals[i].bytes);
               }),
      sortedBy(n, [&](size_t i) {
        return -double(intervals[i].bytes) * double(duration(i));
      })};
  for (const Order &order : orders) {
    if (offer(stackInOrder(problem, order)))
      break;
    if (n <= kExactGapLimit && offer(lowestGapInOrder(problem, order)))
      break;
  }
  return best;
}

std::string partopt::verifyMemory(const MemoryProblem &problem,
                                  const MemorySolution &solution) {
  const auto &intervals = problem.intervals;
  if (solution.offsets.size() != intervals.size())
    return std::to_string(solution.offsets.size()) + " offsets for " +
           std::to_string(intervals.size()) + " intervals";
  Order starts =
      sortedBy(intervals.size(), [&](size_t i) { return intervals[i].first; });
  Order ends =
      sortedBy(intervals.size(), [&](size_t i) { return intervals[i].last; });
  // Live intervals by offset; two neighbours that do not overlap prove all.
  std::map<int64_t, size_t> live;
  size_t ended = 0;
  for (size_t i : starts) {
    int64_t offset = solution.offsets[i], end = offset + intervals[i].bytes;
    if (offset < 0 || offset % problem.alignment != 0)
      return "interval " + intervalText(i, problem) + " has offset " +
             std::to_string(offset);
    if (end > solution.bytes)
      return "interval " + intervalText(i, problem) + " ends at " +
             std::to_string(end) + " in an arena of " +
             std::to_string(solution.bytes);
    for (; intervals[ends[ended]].last < intervals[i].first; ++ended)
      if (intervals[ends[ended]].bytes > 0)
        live.erase(solution.offsets[ends[ended]]);
    if (intervals[i].bytes == 0)
      continue;
    auto next = live.lower_bound(offset);
    size_t other = intervals.size();
    if (next != live.end() && next->first < end)
      other = next->second;
    else if (next != live.begin()) {
      size_t below = std::prev(next)->second;
      if (solution.offsets[below] + intervals[below].bytes > offset)
        other = below;
    }
    if (other != intervals.size())
      return "intervals " + intervalText(other, problem) + " and " +
             intervalText(i, problem) + " overlap at offset " +
             std::to_string(offset);
    live[offset] = i;
  }
  return "";
}
