// Cheapest reshard: Dijkstra over layouts, whose edges are single collectives.

#include "partopt/Search/ReshardSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>

using namespace partopt;
using llvm::ArrayRef;

namespace {

bool isPrefix(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  return a.size() <= b.size() && a == b.take_front(a.size());
}

struct Move {
  ReshardStep step;
  double wire = 0;
};

/// Enumerates the moves out of one layout.
class Moves {
public:
  Moves(const ReshardProblem &problem, const Layout &from)
      : problem(problem), from(from) {}

  std::vector<Move> all() {
    if (reduceInTime())
      return std::move(moves);
    reductions();
    for (int64_t dim = 0; dim < from.rank(); ++dim) {
      slices(dim);
      departures(dim);
    }
    permute();
    toUnreduced();
    return std::move(moves);
  }

private:
  const ReshardProblem &problem;
  const Layout &from;
  std::vector<Move> moves;

  int64_t size(int64_t dim) const { return problem.type.getDimSize(dim); }
  bool divides(int64_t dim, int64_t parts) const {
    return size(dim) % parts == 0;
  }
  /// How much longer a whole dimension is that n equal parts fit into.
  double paddedShare(int64_t dim, double n) const {
    return std::ceil(size(dim) / n) * n / size(dim);
  }
  double price(ArrayRef<AxisRef> axes) const {
    double price = 0;
    for (const AxisRef &axis : axes)
      price = std::max(price, axis.axis < problem.cost.perByte.size()
                                  ? problem.cost.perByte[axis.axis]
                                  : 1.0);
    return axes.empty() ? 1 : price;
  }

  bool isTime(ArrayRef<AxisRef> axes) const {
    return problem.mesh && problem.mesh->isTime(axes);
  }

  void add(ReshardStep step, double wire) {
    step.after.sortUnreduced();
    // Rows of other iterations cannot be had: such a step is for the error
    // that names what would need it.
    if (isTime(step.axes))
      wire *= 1e6;
    moves.push_back({std::move(step), wire});
  }

  bool wantsUnreduced(const UnreducedAxis &u) const {
    return llvm::is_contained(problem.to.unreduced, u);
  }

  /// What is partial over iterations is accumulated before anything else
  /// happens to it, without traffic: true where that is the next step.
  bool reduceInTime() {
    AxisList axes;
    std::optional<Combiner> combiner;
    for (const UnreducedAxis &u : from.unreduced)
      if (!wantsUnreduced(u) && isTime(u.axis) &&
          combiner.value_or(u.combiner) == u.combiner) {
        combiner = u.combiner;
        axes.push_back(u.axis);
      }
    if (combiner)
      add({ReshardKind::AllReduce, axes, -1, -1, *combiner, without(axes)}, 0);
    return combiner.has_value();
  }

  /// All axes of one combiner at once, by all-reduce or into one dimension;
  /// and each axis alone, by reduce-scatter where the target has it.
  void reductions() {
    llvm::SmallVector<UnreducedAxis> open;
    for (const UnreducedAxis &u : from.unreduced)
      if (!wantsUnreduced(u))
        open.push_back(u);
    for (size_t i = 0; i < open.size(); ++i) {
      scatter({open[i].axis}, open[i].combiner);
      reduce({open[i].axis}, open[i].combiner);
    }
    AxisList sameCombiner;
    for (const UnreducedAxis &u : open)
      if (u.combiner == open.front().combiner)
        sameCombiner.push_back(u.axis);
    if (sameCombiner.size() > 1)
      reduce(sameCombiner, open.front().combiner);
  }

  Layout without(ArrayRef<AxisRef> axes) const {
    Layout next = from;
    llvm::erase_if(next.unreduced, [&](const UnreducedAxis &u) {
      return llvm::is_contained(axes, u.axis);
    });
    return next;
  }

  void reduce(AxisList axes, Combiner combiner) {
    double n = axesSize(axes), bytes = from.localBytes(problem.type);
    add({ReshardKind::AllReduce, axes, -1, -1, combiner, without(axes)},
        2 * (n - 1) / n * bytes);
  }

  void scatter(AxisList axes, Combiner combiner) {
    double n = axesSize(axes), bytes = from.localBytes(problem.type);
    for (int64_t dim = 0; dim < from.rank(); ++dim) {
      Layout next = without(axes);
      next.dims[dim].append(axes.begin(), axes.end());
      if (!isPrefix(next.dims[dim], problem.to.dims[dim]))
        continue;
      if (!from.dims[dim].empty() && !divides(dim, next.parts(dim)))
        continue;
      add({ReshardKind::ReduceScatter, axes, dim, -1, combiner, next},
          (n - 1) / n * bytes);
    }
  }

  void slices(int64_t dim) {
    ArrayRef<AxisRef> want = problem.to.dims[dim];
    if (!isPrefix(from.dims[dim], want))
      return;
    Layout next = from;
    AxisList axes;
    for (const AxisRef &axis : want.drop_front(from.dims[dim].size())) {
      if (from.uses(axis))
        return;
      next.dims[dim].push_back(axis);
      axes.push_back(axis);
      if (!from.dims[dim].empty() && !divides(dim, next.parts(dim)))
        return;
      add({ReshardKind::Slice, axes, dim, -1, Combiner::Sum, next}, 0);
    }
  }

  /// Minor axes leave `dim`: gathered, or to another dimension.
  void departures(int64_t dim) {
    const AxisList &have = from.dims[dim];
    // What the target keeps stays, unless an uneven dimension has to be split
    // anew from the whole.
    if (isPrefix(have, problem.to.dims[dim]) &&
        (have.size() == problem.to.dims[dim].size() ||
         divides(dim, problem.to.parts(dim))))
      return;
    for (size_t count = 1; count <= have.size(); ++count) {
      AxisList axes(have.end() - count, have.end());
      bool whole = count == have.size();
      bool even = divides(dim, from.parts(dim));
      double n = axesSize(axes), bytes = from.localBytes(problem.type);
      Layout next = from;
      next.dims[dim].truncate(have.size() - count);
      if (even || whole)
        add({ReshardKind::AllGather, axes, dim, -1, Combiner::Sum, next},
            (n - 1) * bytes);
      for (int64_t to = 0; (even || whole) && to < from.rank(); ++to) {
        if (to == dim)
          continue;
        Layout moved = next;
        moved.dims[to].append(axes.begin(), axes.end());
        bool splitsEvenly = divides(to, moved.parts(to));
        if (isPrefix(moved.dims[to], problem.to.dims[to]) &&
            (splitsEvenly || from.dims[to].empty()))
          add({ReshardKind::AllToAll, axes, dim, to, Combiner::Sum, moved},
              (n - 1) / n * bytes * (splitsEvenly ? 1 : paddedShare(to, n)));
      }
    }
  }

  /// Every dimension is split as finely as the target's, by other axes.
  void permute() {
    if (from.unreduced != problem.to.unreduced)
      return;
    AxisList axes;
    for (int64_t dim = 0; dim < from.rank(); ++dim) {
      if (from.parts(dim) != problem.to.parts(dim))
        return;
      if (from.dims[dim] == problem.to.dims[dim])
        continue;
      for (const AxisList *list : {&from.dims[dim], &problem.to.dims[dim]})
        for (const AxisRef &axis : *list)
          if (!llvm::is_contained(axes, axis)) {
            if (axesOverlap(axes, axis))
              return;
            axes.push_back(axis);
          }
    }
    if (axes.empty())
      return;
    llvm::sort(axes);
    Layout next = from;
    next.dims = problem.to.dims;
    add({ReshardKind::Permute, axes, -1, -1, Combiner::Sum, next},
        from.localBytes(problem.type));
  }

  void toUnreduced() {
    for (const UnreducedAxis &u : problem.to.unreduced) {
      if (llvm::is_contained(from.unreduced, u) || from.uses(u.axis))
        continue;
      Layout next = from;
      next.unreduced.push_back(u);
      add({ReshardKind::ToUnreduced, {u.axis}, -1, -1, u.combiner, next}, 0);
    }
  }

public:
  double total(const Move &move, double memoryLimit) const {
    double cost = move.wire * price(move.step.axes) + problem.cost.perStep;
    double bytes = move.step.after.localBytes(problem.type);
    // Too large a step stays possible, at a price that any other way beats.
    return bytes > memoryLimit ? cost + 1e15 : cost;
  }
};

struct Visit {
  double cost = 0, wire = 0;
  std::string previous;
  ReshardStep step;
  Layout layout;
  bool done = false;
};

void appendAxes(std::string &out, ArrayRef<AxisRef> axes) {
  out += '{';
  for (const AxisRef &axis : axes)
    out += std::to_string(axis.axis) + ":(" + std::to_string(axis.preSize) +
           ")" + std::to_string(axis.size) + ",";
  out += '}';
}

} // namespace

std::string partopt::layoutKey(const Layout &layout) {
  std::string key = "[";
  for (const AxisList &axes : layout.dims)
    appendAxes(key, axes);
  key += ']';
  for (const UnreducedAxis &u : layout.unreduced) {
    key += stringifyCombiner(u.combiner);
    appendAxes(key, u.axis);
  }
  return key;
}

std::string ReshardProblem::check() const {
  if (from.rank() != type.getRank() || to.rank() != type.getRank())
    return "layouts of rank " + std::to_string(from.rank()) + " and " +
           std::to_string(to.rank()) + " for a tensor of rank " +
           std::to_string(type.getRank());
  return mesh ? "" : "no mesh";
}

/// The places where `layout` begins and ends parts of each axis.
static void addCuts(const Layout &layout,
                    std::map<unsigned, std::set<int64_t>> &cuts) {
  auto note = [&](const AxisRef &axis) {
    cuts[axis.axis].insert(axis.preSize);
    cuts[axis.axis].insert(axis.preSize * axis.size);
  };
  for (const AxisList &axes : layout.dims)
    llvm::for_each(axes, note);
  for (const UnreducedAxis &u : layout.unreduced)
    note(u.axis);
}

/// The parts of `axis` between cuts; a cut that does not divide is no part.
static AxisList partsOf(const AxisRef &axis, const std::set<int64_t> &cuts) {
  AxisList parts;
  int64_t begin = axis.preSize, end = axis.preSize * axis.size;
  for (int64_t cut : cuts) {
    if (cut <= begin || cut > end || cut % begin != 0 || end % cut != 0)
      continue;
    parts.push_back({axis.axis, begin, cut / begin});
    begin = cut;
  }
  return parts;
}

void ReshardProblem::splitAxes() {
  std::map<unsigned, std::set<int64_t>> cuts;
  addCuts(from, cuts);
  addCuts(to, cuts);
  for (Layout *layout : {&from, &to}) {
    for (AxisList &axes : layout->dims) {
      AxisList parts;
      for (const AxisRef &axis : axes)
        parts.append(partsOf(axis, cuts[axis.axis]));
      axes = parts;
    }
    llvm::SmallVector<UnreducedAxis, 2> unreduced;
    for (const UnreducedAxis &u : layout->unreduced)
      for (const AxisRef &part : partsOf(u.axis, cuts[u.axis.axis]))
        unreduced.push_back({part, u.combiner});
    layout->unreduced = unreduced;
    layout->sortUnreduced();
  }
}

ReshardSolution partopt::searchReshard(const ReshardProblem &given) {
  ReshardProblem problem = given;
  problem.splitAxes();
  const Layout &from = problem.from, &to = problem.to;
  std::string goal = layoutKey(to), start = layoutKey(from);
  double limit = problem.memoryFactor * std::max(from.localBytes(problem.type),
                                                 to.localBytes(problem.type));
  std::map<std::string, Visit> visits;
  using Item = std::pair<double, std::string>;
  std::priority_queue<Item, std::vector<Item>, std::greater<Item>> queue;
  visits[start].layout = from;
  queue.push({0, start});
  while (!queue.empty()) {
    auto [cost, key] = queue.top();
    queue.pop();
    Visit &visit = visits[key];
    if (visit.done)
      continue;
    visit.done = true;
    if (key == goal)
      break;
    Moves moves(problem, visit.layout);
    double wire = visit.wire;
    for (Move &move : moves.all()) {
      double next = cost + moves.total(move, limit);
      std::string nextKey = layoutKey(move.step.after);
      auto [it, isNew] = visits.try_emplace(nextKey);
      if (!isNew && it->second.cost <= next)
        continue;
      it->second = {next,      wire + move.wire, key,
                    move.step, move.step.after,  false};
      queue.push({next, nextKey});
    }
  }
  ReshardSolution solution;
  if (!visits.count(goal)) {
    // Cannot happen: everything can be combined, gathered and sliced. The
    // replay of an empty answer fails, should a move ever be missing.
    solution.cost = std::numeric_limits<double>::infinity();
    return solution;
  }
  solution.cost = visits[goal].cost;
  solution.wireBytes = visits[goal].wire;
  for (std::string key = goal; key != start; key = visits[key].previous)
    solution.steps.insert(solution.steps.begin(), visits[key].step);
  int64_t whole = tensorBytes(problem.type);
  for (const ReshardStep &step : solution.steps)
    solution.gathersAll |= step.kind == ReshardKind::AllGather &&
                           step.after.localBytes(problem.type) == whole &&
                           to.localBytes(problem.type) < whole;
  return solution;
}
