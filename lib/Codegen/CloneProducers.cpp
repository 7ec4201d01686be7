// What clusters read and write, and which values they compute again instead of
// reading them: a constant factor or a comparison away from a value that is in
// memory anyway, a value is cheaper to compute than to keep.
#include "FusionGraph.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {

/// Ops that one kernel may compute anew: a long chain of cheap ops is written
/// to memory once in a while instead of being repeated by every kernel along
/// it.
static constexpr size_t kMaxClones = 16;
namespace {

int64_t bytes(Value value) {
  RankedTensorType type = tensorOf(value);
  return type.getNumElements() * storageBytes(type.getElementType());
}

} // namespace

SmallVector<const Cluster *> FusionGraph::clusters() const {
  SmallVector<const Cluster *> list;
  for (auto [node, dead] : llvm::zip(nodes, isDead))
    if (!dead && !isBarrier(node.ops[0]))
      list.push_back(&node);
  llvm::sort(list, [&](const Cluster *a, const Cluster *b) {
    return position.lookup(a->ops.back()) < position.lookup(b->ops.back());
  });
  return list;
}

SmallVector<Value> FusionGraph::inputs(const Cluster &cluster) const {
  llvm::SetVector<Value> read;
  SmallVector<Operation *> ops = allOps(cluster);
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()))
        read.insert(operand);
  return SmallVector<Value>(read.begin(), read.end());
}

SmallVector<Value> FusionGraph::outputs(const Cluster &cluster) const {
  llvm::DenseSet<Operation *> inside(cluster.ops.begin(), cluster.ops.end());
  Id self = &cluster - nodes.data();
  auto isReadBy = [&](Id reader, Value value) {
    return reader != self &&
           !nodes[reader].clones.contains(value.getDefiningOp());
  };
  auto isRead = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto it = owner.find(user);
      auto cloned = clonedBy.find(user);
      return (it != owner.end() && isReadBy(it->second, value)) ||
             (cloned != clonedBy.end() &&
              llvm::any_of(cloned->second,
                           [&](Id id) { return isReadBy(id, value); }));
    });
  };
  SmallVector<Value> out;
  for (Operation *op : cluster.ops)
    for (Value result : op->getResults())
      if (isRead(result))
        out.push_back(result);
  return out;
}

/// Adds `op` to the clones of `cluster` when it is cheap and needs at most one
/// large value that the cluster does not read yet.
bool FusionGraph::cloneInto(Cluster &cluster, Operation *op,
                            const llvm::SetVector<Value> &read) const {
  const OpRule *rule = RuleTable::get().lookup(op);
  if (!rule || !rule->element || rule->cost > kCheapCost ||
      op->getNumResults() != 1 || cluster.clones.size() >= kMaxClones)
    return false;
  int64_t size = bytes(op->getResult(0));
  unsigned added = 0;
  llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                          op->operand_end());
  for (Value operand : operands) {
    Operation *producer = operand.getDefiningOp();
    bool isSmall = bytes(operand) * 8 <= size;
    if ((producer && isFree(producer)) || read.contains(operand) || isSmall)
      continue;
    if (bytes(operand) > size)
      return false;
    ++added;
  }
  if (added > 1)
    return false;
  cluster.clones.insert(op);
  return true;
}

void FusionGraph::cloneCheapProducers() {
  SmallVector<const Cluster *> list = clusters();
  // Consumers first: what they clone, their producers need not write.
  for (const Cluster *constant : llvm::reverse(list)) {
    Cluster &cluster = const_cast<Cluster &>(*constant);
    // A view reads what is there already.
    bool canCompute =
        llvm::none_of(cluster.ops, readsMemory) &&
        !llvm::all_of(cluster.ops, llvm::IsaPred<stablehlo::ReshapeOp>);
    for (bool changed = canCompute; changed;) {
      changed = false;
      SmallVector<Value> in = inputs(cluster);
      llvm::SetVector<Value> read(in.begin(), in.end());
      for (Value value : in) {
        Operation *producer = value.getDefiningOp();
        if (producer && !isBarrier(producer) &&
            cloneInto(cluster, producer, read)) {
          clonedBy[producer].push_back(&cluster - nodes.data());
          changed = true;
          break;
        }
      }
    }
  }
  // Ops whose results nothing reads any more.
  for (const Cluster *constant : llvm::reverse(list)) {
    Cluster &cluster = const_cast<Cluster &>(*constant);
    SmallVector<Value> out = outputs(cluster);
    llvm::SetVector<Operation *> needed;
    for (Value value : out)
      needed.insert(value.getDefiningOp());
    llvm::DenseSet<Operation *> inside(cluster.ops.begin(), cluster.ops.end());
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (inside.contains(operand.getDefiningOp()))
          needed.insert(operand.getDefiningOp());
    SmallVector<Operation *> kept;
    for (Operation *op : cluster.ops) {
      if (needed.contains(op))
        kept.push_back(op);
      else
        owner.erase(op);
    }
    cluster.ops = kept;
    if (kept.empty())
      isDead[&cluster - nodes.data()] = true;
  }
}

} // namespace partopt::codegen
