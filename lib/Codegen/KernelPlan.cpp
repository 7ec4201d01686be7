// The plan of a kernel's loops. Items are taken in program order and put into
// the newest nest when what they need from it is complete within one row;
// otherwise a new nest starts. All sizes are static, so a plan also knows how
// much stack it takes.
#include "KernelPlan.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace partopt::codegen {

SmallVector<Value, 2> Item::results() const {
  if (kind == Kind::Map)
    return {value};
  return SmallVector<Value, 2>(op->getResults());
}

int64_t Item::firstFolded() const {
  int64_t dim = 0, rank = space.size();
  while (dim < rank && !(kind == Kind::Fold && fold.folded[dim]))
    ++dim;
  return dim;
}

int64_t Item::trailingFolded() const {
  int64_t dim = space.size();
  while (dim > 0 && kind == Kind::Fold && fold.folded[dim - 1])
    --dim;
  return dim;
}

namespace {

int64_t elementsFrom(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t count = 1;
  for (int64_t size : shape.drop_front(dim))
    count *= size;
  return count;
}

/// Values reached from an item: how many leading coordinates stay its own.
using Reach = llvm::SmallMapVector<Value, int64_t, 16>;

class Planner {
public:
  Planner(ArrayRef<Operation *> ops, ArrayRef<Value> results,
          const KernelTarget &target)
      : ops(ops), target(target), outputs(results.begin(), results.end()) {}

  FailureOr<KernelPlan> run() {
    if (failed(collect()))
      return failure();
    for (unsigned i = 0, e = plan.items.size(); i < e; ++i)
      place(i);
    for (Nest &nest : plan.nests)
      formGroups(nest);
    for (unsigned n = 0, e = plan.nests.size(); n < e; ++n)
      keepExpensive(n);
    placeTemporaries();
    return std::move(plan);
  }

private:
  LogicalResult collect();
  void addItem(Item item);
  Reach reach(const Item &item) const;
  void place(unsigned index);
  bool join(unsigned index, unsigned nestIndex, const Reach &needs);
  void formGroups(Nest &nest);
  void keepExpensive(unsigned nestIndex);
  void placeTemporaries();
  unsigned subtreeCost(Value value) const;
  Group *groupOf(Nest &nest, unsigned level, ArrayRef<int64_t> inner);

  /// The fold that `op` is on the target, or null.
  OpRule::FoldFn foldOf(Operation *op) const {
    const OpRule *rule = RuleTable::get().lookup(op);
    return target.isGpu && rule->gpuFold ? rule->gpuFold : rule->fold;
  }

  ArrayRef<Operation *> ops;
  const KernelTarget target;
  KernelPlan plan;
  SmallVector<Operation *> live;   ///< in program order
  llvm::DenseSet<Operation *> own; ///< the same
  llvm::DenseMap<Value, unsigned> itemOf;
  llvm::SmallSetVector<Value, 4> outputs;
};

void Planner::addItem(Item item) {
  for (Value result : item.results())
    itemOf[result] = plan.items.size();
  plan.items.push_back(std::move(item));
}

/// Finds the ops that matter and makes an item of everything that is stored.
LogicalResult Planner::collect() {
  llvm::DenseSet<Operation *> needed;
  for (Value output : outputs)
    if (Operation *op = output.getDefiningOp())
      needed.insert(op);
  for (Operation *op : llvm::reverse(ops)) {
    if (!needed.contains(op))
      continue;
    live.push_back(op);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        needed.insert(producer);
  }
  std::reverse(live.begin(), live.end());

  own.insert(live.begin(), live.end());
  auto mapItem = [&](Value value) {
    Item item;
    item.op =
        own.contains(value.getDefiningOp()) ? value.getDefiningOp() : nullptr;
    item.value = value;
    item.space = llvm::to_vector(tensorOf(value).getShape());
    addItem(std::move(item));
  };
  for (Value output : outputs)
    if (!own.contains(output.getDefiningOp()))
      mapItem(output);
  llvm::DenseSet<Value> inMemory;
  for (Operation *op : live)
    if (readsMemory(op))
      for (Value operand : op->getOperands())
        if (DenseElementsAttr table = constantOf(operand.getDefiningOp());
            !table || table.isSplat())
          inMemory.insert(operand);
  for (Operation *op : live) {
    if (failed(checkKernelOp(op)))
      return failure();
    const OpRule *rule = RuleTable::get().lookup(op);
    if (DenseElementsAttr constant = constantOf(op))
      if (!constant.isSplat())
        plan.tables.push_back(op);
    OpRule::FoldFn fold = foldOf(op);
    if (fold || rule->emit) {
      Item item;
      item.op = op;
      item.kind = fold ? Item::Kind::Fold : Item::Kind::Loops;
      if (fold) {
        item.fold = fold(op);
        item.space = item.fold.space;
      }
      addItem(std::move(item));
    } else if (outputs.contains(op->getResult(0)) ||
               inMemory.contains(op->getResult(0))) {
      mapItem(op->getResult(0));
    }
  }
  return success();
}

/// Values that `item` needs: stored ones (where the walk stops) and those in
/// between.
Reach Planner::reach(const Item &item) const {
  Reach reached;
  auto visit = [&](Value value, int64_t prefix) {
    auto [it, isNew] = reached.insert({value, prefix});
    if (!isNew)
      it->second = std::min(it->second, prefix);
  };
  auto expand = [&](Operation *op, int64_t limit, OpRule::PrefixFn prefix) {
    for (unsigned k = 0, e = op->getNumOperands(); k < e; ++k)
      visit(op->getOperand(k), std::min(limit, prefix ? prefix(op, k) : 0));
  };
  if (!item.op)
    return reached;
  int64_t rank = item.space.size();
  OpRule::PrefixFn first = item.kind == Item::Kind::Fold
                               ? item.fold.prefix
                               : RuleTable::get().lookup(item.op)->prefix;
  expand(item.op, rank, first);
  auto position = llvm::find(live, item.op);
  for (Operation *op : llvm::reverse(llvm::make_range(live.begin(), position)))
    for (Value result : op->getResults()) {
      auto it = reached.find(result);
      if (it != reached.end() && !itemOf.contains(result))
        expand(op, it->second, RuleTable::get().lookup(op)->prefix);
    }
  return reached;
}

/// Puts item `index` into the first nest that comes after all its needs and
/// whose rows suit it, or into a new one.
void Planner::place(unsigned index) {
  Item &item = plan.items[index];
  Reach needs = reach(item);
  unsigned earliest = 0;
  for (auto [value, prefix] : needs)
    if (auto it = itemOf.find(value); it != itemOf.end() && it->second < index)
      earliest = std::max(earliest, plan.nestOf[it->second]);
  if (item.kind != Item::Kind::Loops)
    for (unsigned n = earliest, e = plan.nests.size(); n < e; ++n)
      if (join(index, n, needs))
        return;
  plan.nestOf.push_back(plan.nests.size());
  Nest nest;
  nest.rowRank = item.space.size();
  nest.rowShape = item.space;
  nest.isClosed = item.kind == Item::Kind::Loops;
  plan.nests.push_back(std::move(nest));
}

/// Adds an item to a nest if what it needs from there is complete within one
/// row. Level: the items of lower levels must be complete (in this row) before.
bool Planner::join(unsigned index, unsigned nestIndex, const Reach &needs) {
  Item &item = plan.items[index];
  Nest &nest = plan.nests[nestIndex];
  if (nest.isClosed)
    return false;
  int64_t rows = std::min<int64_t>(nest.rowRank, item.space.size());
  for (int64_t i = 0; i < rows; ++i)
    if (nest.rowShape[i] != item.space[i])
      rows = i;
  // On a GPU rows are of different blocks: nothing is summed over them.
  if (target.isGpu) {
    rows = std::min(rows, item.firstFolded());
    for (auto [other, home] : llvm::zip(plan.items, plan.nestOf))
      if (home == nestIndex)
        rows = std::min(rows, other.firstFolded());
  }
  bool shares = false;
  unsigned level = 0;
  for (auto [value, prefix] : needs) {
    auto it = itemOf.find(value);
    if (it == itemOf.end() || it->second >= index ||
        plan.nestOf[it->second] != nestIndex)
      continue;
    const Item &source = plan.items[it->second];
    shares = true;
    rows = std::min({rows, prefix, source.firstFolded()});
    bool isComplete = source.kind == Item::Kind::Map;
    level = std::max(level, source.level + (isComplete ? 0 : 1));
  }
  // Without rows in common, items still share loops when all of them have the
  // same space and nothing waits for anything.
  bool isIndependent =
      !shares && ArrayRef(nest.rowShape) == ArrayRef(item.space);
  // Wider rows must still fit what a kernel may keep of one row.
  bool isTooWide = rows < nest.rowRank && nest.numItems > 1 &&
                   elementsFrom(item.space, rows) * 4 > target.keepBytes;
  if ((rows == 0 && !isIndependent) || isTooWide)
    return false;
  ++nest.numItems;
  plan.nestOf.push_back(nestIndex);
  nest.rowRank = rows;
  nest.rowShape.resize(rows);
  item.level = level;
  return true;
}

Group *Planner::groupOf(Nest &nest, unsigned level, ArrayRef<int64_t> inner) {
  for (Group &group : nest.groups) {
    const Item &first = plan.items[group.items.front()];
    if (first.level == level &&
        ArrayRef(first.space).drop_front(nest.rowRank) == inner)
      return &group;
  }
  nest.groups.emplace_back();
  return &nest.groups.back();
}

void Planner::formGroups(Nest &nest) {
  unsigned number = &nest - plan.nests.data();
  SmallVector<unsigned> members;
  for (unsigned i = 0, e = plan.items.size(); i < e; ++i)
    if (plan.nestOf[i] == number)
      members.push_back(i);
  llvm::sort(members, [&](unsigned a, unsigned b) {
    return std::make_pair(plan.items[a].level, a) <
           std::make_pair(plan.items[b].level, b);
  });
  for (unsigned i : members) {
    Item &item = plan.items[i];
    groupOf(nest, item.level, ArrayRef(item.space).drop_front(nest.rowRank))
        ->items.push_back(i);
  }
  // One group has no use for rows of its own: its loops then keep sums in
  // registers.
  if (nest.groups.size() == 1) {
    nest.rowRank = 0;
    nest.rowShape.clear();
  }
}

/// Scalar operations to compute one element of `value` from stored values.
unsigned Planner::subtreeCost(Value value) const {
  Item probe;
  probe.op = value.getDefiningOp();
  probe.value = value;
  if (!own.contains(probe.op))
    return 0;
  const RuleTable &rules = RuleTable::get();
  unsigned cost = rules.lookup(probe.op)->cost;
  for (auto [inner, prefix] : reach(probe))
    if (Operation *op = inner.getDefiningOp();
        own.contains(op) && !itemOf.contains(inner))
      cost += rules.lookup(op)->cost;
  return cost;
}

/// Makes an item of every expensive value that two groups of one nest compute
/// at the same points.
void Planner::keepExpensive(unsigned nestIndex) {
  Nest &nest = plan.nests[nestIndex];
  if (nest.groups.size() < 2)
    return;
  int64_t kept = 0;
  // Consumers before producers: a kept value makes its producers unneeded.
  for (Operation *op : llvm::reverse(live)) {
    if (op->getNumResults() != 1 || op->hasOneUse() ||
        itemOf.contains(op->getResult(0)))
      continue;
    Value value = op->getResult(0);
    ArrayRef<int64_t> shape = tensorOf(value).getShape();
    int64_t rank = shape.size();
    if (rank < nest.rowRank)
      continue;
    int64_t bytes = elementsFrom(shape, nest.rowRank) *
                    storageBytes(tensorOf(value).getElementType());
    if (kept + bytes > target.keepBytes)
      continue;
    SmallVector<unsigned> users;
    for (auto [g, group] : llvm::enumerate(nest.groups))
      if (llvm::any_of(group.items, [&](unsigned i) {
            const Item &item = plan.items[i];
            Reach needs = reach(item);
            auto it = needs.find(value);
            return it != needs.end() && it->second == rank &&
                   ArrayRef(item.space) == shape;
          }))
        users.push_back(g);
    if (users.size() < 2 || subtreeCost(value) < kKeepCost)
      continue;
    Item item;
    item.op = op;
    item.value = value;
    item.space = llvm::to_vector(shape);
    item.level = plan.items[nest.groups[users[0]].items.front()].level;
    nest.groups[users[0]].items.push_back(plan.items.size());
    plan.nestOf.push_back(nestIndex);
    addItem(std::move(item));
    kept += bytes;
  }
}

/// Decides between a row and the whole for every stored value that is no
/// output, and adds up the stack.
void Planner::placeTemporaries() {
  llvm::DenseSet<Value> crossing;
  for (auto [i, item] : llvm::enumerate(plan.items))
    for (auto [value, prefix] : reach(item)) {
      auto it = itemOf.find(value);
      if (it != itemOf.end() && plan.nestOf[it->second] != plan.nestOf[i])
        crossing.insert(value);
    }
  int64_t largestBytes = -1;
  for (auto [i, item] : llvm::enumerate(plan.items))
    for (Value value : item.results()) {
      if (outputs.contains(value))
        continue;
      int64_t rows = plan.nests[plan.nestOf[i]].rowRank;
      bool isRow =
          rows > 0 && !crossing.contains(value) && item.firstFolded() >= rows;
      plan.temporaries[value] = isRow;
      int64_t bytes =
          elementsFrom(tensorOf(value).getShape(), isRow ? rows : 0) *
          storageBytes(tensorOf(value).getElementType());
      plan.stackBytes += (bytes + 63) / 64 * 64;
      if (bytes > largestBytes) {
        largestBytes = bytes;
        plan.largest = value;
      }
    }
}

} // namespace

FailureOr<KernelPlan> planKernel(ArrayRef<Operation *> ops,
                                 ArrayRef<Value> outputs,
                                 const KernelTarget &target) {
  return Planner(ops, outputs, target).run();
}

FailureOr<KernelPlan> planKernel(Block &body, const KernelTarget &target) {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs(body.getTerminator()->getOperands());
  return planKernel(ops, outputs, target);
}

} // namespace partopt::codegen
