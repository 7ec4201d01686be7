// The rounds of propagation. The order of rounds and of visits decides which
// sharding wins where several fit; it follows Shardy's.

#include "lib/Shard/Propagation/Propagator.h"
#include "lib/Shard/Propagation/AxisLists.h"

#include <set>

namespace partopt::shard {

namespace {
constexpr int kLastRound = 4;

/// What round `round` adds for a factor of `node`. Rounds accumulate.
Direction directionInRound(const Node &node, const Factor &factor, int round) {
  switch (round) {
  case 0:
    if (node.opClass == OpClass::DynamicSlice)
      return Forward;
    if (node.opClass == OpClass::PassThrough)
      return node.sharesOperands ? None : Both;
    return None;
  case 1:
    return node.opClass == OpClass::PassThrough ? Both : None;
  case 2:
    if (factor.kind != FactorKind::PassThrough)
      return None;
    return node.opClass == OpClass::Broadcast ? Backward : Both;
  case 3:
    return node.opClass == OpClass::Broadcast ? Backward : Both;
  default:
    return Both;
  }
}

Direction directionUpTo(const Node &node, unsigned factor, int round) {
  const Factor &f = node.rule.factors[factor];
  if (f.blocked)
    return None;
  if (node.opClass == OpClass::Barrier)
    return node.allowed;
  uint8_t direction = None;
  for (int r = 0; r <= round; ++r)
    direction |= directionInRound(node, f, r);
  return Direction(direction);
}
} // namespace

void Propagator::push(unsigned node) {
  if (queued[node])
    return;
  queued[node] = true;
  worklist.push_back(node);
}

/// Takes back what is no extension by `onlyAxes`; true when something is left.
bool Propagator::restrict(const TensorState &before, TensorState &state) const {
  bool changed = false;
  for (auto [dim, now] : llvm::enumerate(state.dims)) {
    llvm::ArrayRef<AxisRef> old;
    if (before.hasSharding())
      old = before.dims[dim].axes;
    llvm::ArrayRef<AxisRef> axes = now.axes;
    bool extends =
        axes.size() >= old.size() && axes.take_front(old.size()) == old &&
        llvm::all_of(axes.drop_front(old.size()), [&](const AxisRef &axis) {
          return llvm::is_contained(options.onlyAxes, axis.axis);
        });
    if (!extends)
      now.axes.assign(old.begin(), old.end());
    changed |= now.axes.size() != old.size();
  }
  if (!changed)
    state.mesh = before.mesh;
  return changed;
}

bool Propagator::visit(const Node &node, int round) {
  size_t tensors = node.sizes.size();
  int mesh = -1;
  for (size_t i = 0; i < tensors; ++i) {
    int slot = node.slot(i);
    if (slot < 0)
      continue;
    const Slot &s = graph.slots[slot];
    if (s.frozen)
      return false;
    if (!s.state.hasSharding())
      continue;
    if (mesh >= 0 && mesh != s.state.mesh)
      return false; // shardings do not cross meshes
    mesh = s.state.mesh;
  }
  if (mesh < 0)
    return false;
  Projection projection;
  projection.numOperands = node.operands.size();
  static const TensorState none;
  for (size_t i = 0; i < tensors; ++i) {
    int slot = node.slot(i);
    projection.tensors.push_back(
        slot < 0
            ? TensorFactors()
            : project(graph.slots[slot].state, node.mapping(i), node.rule));
  }
  OpFacts facts{node.rule, node.sizes, node.elementwise};
  auto direction = [&](unsigned factor) {
    return directionUpTo(node, factor, round);
  };
  llvm::SmallBitVector changed =
      options.aggressive ? propagateAggressive(projection, facts, direction)
                         : propagateBasic(projection, facts, direction);
  bool any = false;
  for (unsigned i : changed.set_bits()) {
    int slot = node.slot(i);
    TensorState before;
    if (!options.onlyAxes.empty())
      before = graph.slots[slot].state;
    if (!unproject(projection.tensors[i], node.mapping(i), node.rule, mesh,
                   graph.slots[slot].state))
      continue;
    if (!options.onlyAxes.empty() && !restrict(before, graph.slots[slot].state))
      continue;
    any = true;
    for (unsigned user : graph.slots[slot].nodes)
      push(user);
  }
  return any;
}

void Propagator::pushResults() {
  for (const Node &node : graph.resultNodes)
    if (node.operands[0] >= 0)
      visit(node, kLastRound);
}

void Propagator::runToFixedPoint(int round) {
  pushResults();
  worklist.clear();
  queued.assign(graph.nodes.size(), false);
  for (unsigned node = graph.nodes.size(); node-- > 0;)
    push(node);
  while (!worklist.empty()) {
    unsigned node = worklist.pop_back_val();
    queued[node] = false;
    visit(graph.nodes[node], round);
  }
  pushResults();
}

void Propagator::runOpRounds() {
  for (int round = options.opPriorities ? 0 : kLastRound; round <= kLastRound;
       ++round)
    runToFixedPoint(round);
}

void Propagator::hideLaterPriorities() {
  for (auto [index, slot] : llvm::enumerate(graph.slots)) {
    bool later = llvm::any_of(
        slot.state.dims, [](const DimState &dim) { return dim.priority > 0; });
    if (!later)
      continue;
    prioritised.push_back({unsigned(index), slot.state});
    // No other dimension may take the hidden axes meanwhile.
    for (DimState &dim : slot.state.dims)
      if (dim.priority > 0) {
        slot.state.replicated.append(dim.axes);
        dim.axes.clear();
        dim.closed = true;
      }
  }
}

void Propagator::reveal(int64_t priority) {
  for (auto &[index, original] : prioritised) {
    TensorState &state = graph.slots[index].state;
    for (auto [dim, was] : llvm::zip(state.dims, original.dims)) {
      if (was.priority != priority)
        continue;
      dim.axes = was.axes;
      dim.closed = was.closed;
      llvm::erase_if(state.replicated,
                     [&, &axes = was.axes](const AxisRef &axis) {
                       return llvm::is_contained(axes, axis);
                     });
    }
  }
}

void Propagator::hideStorage() {
  for (auto [index, slot] : llvm::enumerate(graph.slots)) {
    if (slot.storage.empty())
      continue;
    stored.push_back({unsigned(index), slot.state});
    for (auto [dim, axes] : llvm::zip(slot.state.dims, slot.storage))
      llvm::erase_if(dim.axes, [&, &storage = axes](const AxisRef &axis) {
        return axesOverlap(axis, storage);
      });
  }
}

void Propagator::revealStorage() {
  for (auto &[index, original] : stored) {
    TensorState &state = graph.slots[index].state;
    for (auto [dim, was] : llvm::zip(state.dims, original.dims)) {
      AxisList axes = was.axes;
      for (const AxisRef &axis : dim.axes)
        if (!axesOverlap(axis, axes))
          axes.push_back(axis);
      dim.axes = axes;
    }
  }
}

void Propagator::run() {
  queued.assign(graph.nodes.size(), false);
  if (!options.userPriorities) {
    runOpRounds();
    return;
  }
  hideStorage();
  hideLaterPriorities();
  std::set<int64_t> priorities{0};
  for (auto &[index, original] : prioritised)
    for (const DimState &dim : original.dims)
      priorities.insert(dim.priority);
  for (int64_t priority : priorities) {
    if (priority > 0)
      reveal(priority);
    runOpRounds();
  }
  if (stored.empty())
    return;
  revealStorage();
  runOpRounds();
}

} // namespace partopt::shard
