// Clusters of ops, grown greedily in program order. The kernel planner is the
// judge: two clusters belong together when the plan of their union has one nest
// of loops (small extra nests, as for a scalar after a sum, do not count).
#include "FusionGraph.h"
#include "KernelPlan.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Block.h"
#include "partopt/Analysis/KernelCost.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// A nest over at most this many points may be added to any kernel.
constexpr int64_t kSmallNest = 16;
/// Clusters with more ops or more buffers are not merged further.
constexpr size_t kMaxOps = 256, kMaxBuffers = 48;
/// Values with fewer elements are not worth sharing loops for.
constexpr int64_t kSmallValue = 64;

int64_t elements(Value value) { return tensorOf(value).getNumElements(); }

/// True when a broadcast adds a dimension outside of one that its operand has:
/// the operand's elements are then needed again and again, in inner loops.
bool repeatsInnerLoops(stablehlo::BroadcastInDimOp op) {
  ArrayRef<int64_t> from = tensorOf(op.getOperand()).getShape();
  ArrayRef<int64_t> to = tensorOf(op.getResult()).getShape();
  int64_t innermost = -1;
  llvm::SmallDenseSet<int64_t> kept;
  for (auto [size, dim] : llvm::zip(from, op.getBroadcastDimensions()))
    if (size != 1) {
      innermost = std::max(innermost, dim);
      kept.insert(dim);
    }
  for (int64_t dim = 0; dim < innermost; ++dim)
    if (to[dim] != 1 && !kept.contains(dim))
      return true;
  return false;
}

bool isBlas(stablehlo::DotGeneralOp dot) {
  Type type = tensorOf(dot.getResult()).getElementType();
  return type.isF32() || type.isF64();
}

} // namespace

bool FusionGraph::isBarrier(Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    return isBlas(dot);
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<stablehlo::OptimizationBarrierOp>(op) ||
         isa_and_nonnull<comm::CommDialect>(op->getDialect());
}

FusionGraph::FusionGraph(Block &block, const KernelTarget &target)
    : block(block), target(target) {
  findSections();
  findFreeOps();
  separateBroadcasts();
  findSections(); // of the ops that these have added
  unsigned count = 0;
  Operation *lastOrdered = nullptr;
  for (Operation &op : block) {
    position[&op] = count++;
    if (isFree(&op))
      continue;
    owner[&op] = nodes.size();
    rank.push_back(nodes.size());
    nodes.push_back({{&op}, {}});
    if (isa_and_nonnull<comm::CommDialect>(op.getDialect())) {
      if (lastOrdered) {
        orderedNext[lastOrdered] = &op;
        orderedLast[&op] = lastOrdered;
      }
      lastOrdered = &op;
    }
  }
  isDead.assign(nodes.size(), false);
}

void FusionGraph::findSections() {
  unsigned number = 0;
  for (Operation &op : block) {
    number += isa<comm::LoopBeginOp>(op);
    section[&op] = number;
    number += isa<comm::LoopEndOp>(op);
  }
}

void FusionGraph::findFreeOps() {
  llvm::DenseMap<Operation *, unsigned> costs;
  for (Operation &op : block) {
    const OpRule *rule =
        isBarrier(&op) ? nullptr : RuleTable::get().lookup(&op);
    if (!rule || !rule->element)
      continue;
    unsigned cost = rule->cost;
    bool isFreeOp = true;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      isFreeOp &= producer && freeOps.contains(producer);
      cost += costs.lookup(producer);
    }
    if (isFreeOp && cost <= kKeepCost) {
      freeOps.insert(&op);
      costs[&op] = cost;
    }
  }
  // What a barrier reads is a kernel's result: a copy of the free op, which is
  // not free.
  for (Operation &op : block) {
    if (!isBarrier(&op) && !readsMemory(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || !isFree(producer))
        continue;
      OpBuilder builder(&op);
      operand.set(builder.clone(*producer)->getResult(0));
    }
  }
}

/// Every reader of a broadcast gets one of its own: sharing a spread value is
/// no reason to share a kernel. A reader in a loop spreads it there.
void FusionGraph::separateBroadcasts() {
  // Those that are added here are of one reader each.
  SmallVector<stablehlo::BroadcastInDimOp> broadcasts(
      block.getOps<stablehlo::BroadcastInDimOp>());
  for (stablehlo::BroadcastInDimOp op : broadcasts) {
    if (isFree(op))
      continue;
    llvm::SmallSetVector<Operation *, 4> readers(op->user_begin(),
                                                 op->user_end());
    // The list of uses runs backwards; the first reader keeps the op.
    OpBuilder builder(op);
    for (Operation *reader : readers) {
      // A barrier reads it from memory, where it is written once.
      bool isElsewhere =
          sectionOf(reader) != sectionOf(op) && !isBarrier(reader);
      if (reader == readers.back() && !isElsewhere)
        continue;
      builder.setInsertionPoint(isElsewhere ? reader : op.getOperation());
      reader->replaceUsesOfWith(op, builder.clone(*op)->getResult(0));
    }
    if (op.use_empty())
      op.erase();
  }
}

SmallVector<Value> FusionGraph::liveOut(const Cluster &cluster) const {
  llvm::DenseSet<Operation *> inside(cluster.ops.begin(), cluster.ops.end());
  SmallVector<Value> out;
  for (Operation *op : cluster.ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        out.push_back(result);
  return out;
}

/// The cluster's ops, its clones and the free ops that they read, in program
/// order.
SmallVector<Operation *> FusionGraph::allOps(const Cluster &cluster) const {
  llvm::SetVector<Operation *> all(cluster.ops.begin(), cluster.ops.end());
  all.insert(cluster.clones.begin(), cluster.clones.end());
  for (size_t i = 0; i < all.size(); ++i)
    for (Value operand : all[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (freeOps.contains(producer))
          all.insert(producer);
  SmallVector<Operation *> ops(all.begin(), all.end());
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return position.lookup(a) < position.lookup(b);
  });
  return ops;
}

/// True when every op works point by point on one shape: such ops always share
/// one loop.
bool FusionGraph::isSameSpace(const Cluster &merged) const {
  ArrayRef<int64_t> shape = tensorOf(merged.ops[0]->getResult(0)).getShape();
  return llvm::all_of(merged.ops, [&](Operation *op) {
    return op->hasTrait<stablehlo::Elementwise>() &&
           tensorOf(op->getResult(0)).getShape() == shape;
  });
}

bool FusionGraph::pays(const Cluster &merged, Id producer, Id consumer) const {
  // What several large kernels read is computed once, by a kernel of its own.
  auto isSmall = [&](Id id) {
    return llvm::all_of(nodes[id].ops, [&](Operation *op) {
      return llvm::all_of(op->getResults(), [&](Value result) {
        return elements(result) <= kSmallValue;
      });
    });
  };
  if (isSmall(producer) && !isSmall(consumer)) {
    SmallVector<Id> readers;
    successors(producer, readers);
    if (llvm::any_of(readers, [&](Id id) { return id != consumer; }))
      return false;
  }
  if (isSameSpace(merged))
    return true;
  // Spreading an expensive value over leading dimensions would compute it once
  // per copy.
  for (Operation *op : nodes[consumer].ops) {
    auto spread = dyn_cast<stablehlo::BroadcastInDimOp>(op);
    Operation *source = spread ? spread.getOperand().getDefiningOp() : nullptr;
    if (!source || owner.lookup(source) != producer ||
        tensorOf(spread.getOperand()).getRank() == 0)
      continue;
    if (repeatsInnerLoops(spread) &&
        RuleTable::get().lookup(source)->cost > kCheapCost)
      return false;
  }
  FailureOr<KernelPlan> plan =
      planKernel(allOps(merged), liveOut(merged), target);
  if (failed(plan) || plan->stackBytes > target.temporaryBytes / 2)
    return false;
  unsigned large = 0;
  for (auto [n, nest] : llvm::enumerate(plan->nests)) {
    bool isLarge = false;
    for (auto [item, home] : llvm::zip(plan->items, plan->nestOf)) {
      int64_t points = 1;
      for (int64_t size : item.space)
        points *= size;
      isLarge |=
          home == n && (points > kSmallNest || item.kind == Item::Kind::Loops);
    }
    large += isLarge;
  }
  return large <= 1;
}

/// True when an op that writes a part of a large operand would get the operand
/// from its own kernel, and could not write over it.
bool FusionGraph::hidesOperand(const Cluster &merged) const {
  llvm::DenseSet<Operation *> inside(merged.ops.begin(), merged.ops.end());
  return llvm::any_of(merged.ops, [&](Operation *op) {
    return llvm::any_of(op->getResults(), [&](OpResult result) {
      Value operand = partlyWritten(result);
      return operand && inside.contains(operand.getDefiningOp()) &&
             elements(result) > kSmallValue;
    });
  });
}

bool FusionGraph::tryMerge(Id producer, Id consumer) {
  if (producer == consumer || isDead[producer] || isDead[consumer] ||
      sectionOf(nodes[producer].ops[0]) != sectionOf(nodes[consumer].ops[0]) ||
      isBarrier(nodes[producer].ops[0]) || isBarrier(nodes[consumer].ops[0]))
    return false;
  Cluster merged = nodes[producer];
  llvm::append_range(merged.ops, nodes[consumer].ops);
  llvm::sort(merged.ops, [&](Operation *a, Operation *b) {
    return position.lookup(a) < position.lookup(b);
  });
  if (merged.ops.size() > kMaxOps || llvm::any_of(merged.ops, readsMemory) ||
      hidesOperand(merged) ||
      inputs(merged).size() + liveOut(merged).size() > kMaxBuffers)
    return false;
  auto [first, last] = rank[producer] < rank[consumer]
                           ? std::make_pair(producer, consumer)
                           : std::make_pair(consumer, producer);
  std::optional<SmallVector<Id>> later = behind(first, last);
  if (!later || !pays(merged, producer, consumer))
    return false;
  placeMerged(first, last, std::move(*later));
  for (Operation *op : nodes[producer].ops)
    owner[op] = consumer;
  nodes[consumer] = std::move(merged);
  isDead[producer] = true;
  return true;
}

void FusionGraph::fuse() {
  for (Operation &op : block) {
    if (isBarrier(&op) || isFree(&op))
      continue;
    // Nearest producers first: they are the likeliest to share loops.
    SmallVector<Operation *> producers;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!isFree(producer) && !llvm::is_contained(producers, producer))
          producers.push_back(producer);
    llvm::sort(producers, [&](Operation *a, Operation *b) {
      return position.lookup(a) > position.lookup(b);
    });
    for (Operation *producer : producers)
      tryMerge(idOf(producer), idOf(&op));
  }
  mergeSiblings();
}

/// Clusters that read the same large value of a barrier or an argument.
void FusionGraph::mergeSiblings() {
  SmallVector<Value> shared(block.getArguments());
  for (Operation &op : block)
    if (!isFree(&op))
      llvm::append_range(shared, op.getResults());
  for (Value value : shared) {
    if (!isa<RankedTensorType>(value.getType()) ||
        elements(value) <= kSmallValue)
      continue;
    llvm::SetVector<Operation *> readers;
    for (Operation *user : value.getUsers())
      if (!isFree(user) && !isBarrier(user))
        readers.insert(user);
    SmallVector<Operation *> ordered(readers.begin(), readers.end());
    llvm::sort(ordered, [&](Operation *a, Operation *b) {
      return position.lookup(a) < position.lookup(b);
    });
    for (size_t i = 1; i < ordered.size(); ++i)
      tryMerge(idOf(ordered[i - 1]), idOf(ordered[i]));
  }
}

} // namespace partopt::codegen
