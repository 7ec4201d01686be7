//===- ImproveOrder.cpp - Local search along the critical path ------------===//
//
// Only a change among ops of the critical path can shorten it. A trial moves
// one of them behind or before others of its block (critical ops of one rank,
// one behind the other); what is not worse stays, and a little worse may stay
// too, so that the search leaves plateaus and hollows (threshold accepting).
// Random choices come from a generator of fixed seed.
//
//===----------------------------------------------------------------------===//

#include "ImproveOrder.h"

#include <algorithm>
#include <cstdint>

namespace partopt::pipeline {

namespace {

/// A place in the orders.
struct Place {
  int rank;
  int position;
};

class Improver {
public:
  Improver(const FlatProblem &flat, FlatOrder &order)
      : flat(flat), order(order), timer(flat), places(flat.duration.size()) {}

  double run(long rounds, double bound);

private:
  unsigned random(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<unsigned>((state >> 11) % below);
  }
  void number(int rank);
  /// The places of the critical path of the times in the timer, from its end.
  void findPath(double makespan);
  /// Ops that must stay in this order: the same list, or one needs the other.
  bool areBound(int before, int after) const;
  /// Moves the op at `from` to `to`; false if something on the way forbids it.
  bool move(int rank, int from, int to);
  /// Picks a trial among the path's ops and makes it; the way back in `rank`,
  /// `from` and `to`.
  bool trial(int &rank, int &from, int &to);

  const FlatProblem &flat;
  FlatOrder &order;
  FlatTimer timer;
  std::vector<int> places; ///< by op: its position on its rank
  std::vector<Place> path;
  uint64_t state = 0x9E3779B97F4A7C15u;
};

} // namespace

void Improver::number(int rank) {
  for (size_t i = 0; i < order[rank].size(); ++i)
    places[order[rank][i]] = static_cast<int>(i);
}

void Improver::findPath(double makespan) {
  path.clear();
  int op = -1;
  for (int rank = 0; rank < flat.ranks; ++rank)
    if (!order[rank].empty() && timer.end[order[rank].back()] == makespan)
      op = order[rank].back();
  while (op >= 0) {
    int rank = flat.rank[op], position = places[op];
    path.push_back({rank, position});
    int before = position > 0 ? order[rank][position - 1] : -1;
    double free = before >= 0 ? timer.end[before] : 0;
    int input = flat.input[op];
    double ready = input >= 0 ? timer.end[input] + flat.delay[op] : 0;
    // Where both are critical, the rank's own order can be changed.
    op = free >= ready ? before : input;
  }
}

bool Improver::areBound(int before, int after) const {
  if (flat.listOf(before) == flat.listOf(after))
    return true;
  Action a = flat.actionOf(before), b = flat.actionOf(after);
  return a.microbatch == b.microbatch && a.stage == b.stage;
}

bool Improver::move(int rank, int from, int to) {
  std::vector<int> &ops = order[rank];
  int op = ops[from];
  if (from < to) {
    for (int i = from + 1; i <= to; ++i)
      if (areBound(op, ops[i]))
        return false;
    std::rotate(ops.begin() + from, ops.begin() + from + 1,
                ops.begin() + to + 1);
  } else {
    for (int i = to; i < from; ++i)
      if (areBound(ops[i], op))
        return false;
    std::rotate(ops.begin() + to, ops.begin() + from, ops.begin() + from + 1);
  }
  return true;
}

bool Improver::trial(int &rank, int &from, int &to) {
  unsigned at = random(static_cast<unsigned>(path.size()));
  rank = path[at].rank;
  from = path[at].position;
  // The path runs from its end: smaller indices come later.
  int later = 0, earlier = 0;
  while (at >= unsigned(later) + 1 && path[at - later - 1].rank == rank &&
         path[at - later - 1].position == from + later + 1)
    ++later;
  while (at + earlier + 1 < path.size() &&
         path[at + earlier + 1].rank == rank &&
         path[at + earlier + 1].position == from - earlier - 1)
    ++earlier;
  int size = static_cast<int>(order[rank].size());
  // One beyond the block, so that a gap at its end can be filled.
  int last = std::min(size - 1, from + later + 1);
  int first = std::max(0, from - earlier - 1);
  if (last == first)
    return false;
  int farthest = random(2) ? last : first;
  int reach = std::abs(farthest - from);
  if (reach == 0)
    return false;
  // Mostly near, sometimes to the block's end.
  int step = random(3) == 0
                 ? reach
                 : 1 + static_cast<int>(random(unsigned(std::min(reach, 6))));
  to = farthest > from ? from + step : from - step;
  return move(rank, from, to);
}

double Improver::run(long rounds, double bound) {
  for (int rank = 0; rank < flat.ranks; ++rank)
    number(rank);
  double current = timer.run(order), best = current;
  FlatOrder bestOrder = order;
  findPath(current);
  for (long round = 0; round < rounds && best > bound; ++round) {
    int rank = 0, from = 0, to = 0;
    if (path.empty() || !trial(rank, from, to))
      continue;
    double makespan =
        peakOf(flat, order[rank]) <= flat.caps[rank] ? timer.run(order) : never;
    // What may be lost shrinks to nothing towards the end.
    double patience =
        0.004 * best * (1 - static_cast<double>(round) / double(rounds));
    if (makespan > current && makespan > best + patience) {
      move(rank, to, from);
      continue;
    }
    current = makespan;
    number(rank);
    findPath(current);
    if (current < best) {
      best = current;
      bestOrder = order;
    }
  }
  order = std::move(bestOrder);
  return best;
}

double improveOrder(const FlatProblem &flat, FlatOrder &order, long rounds,
                    double bound) {
  return Improver(flat, order).run(rounds, bound);
}

} // namespace partopt::pipeline
