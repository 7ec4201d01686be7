// Ranks of clusters that grow along every path, kept up when two clusters
// become one (Pearce and Kelly's order of a graph that changes): what is
// searched is only what lies between the two.
#include "FusionGraph.h"

#include "mlir/IR/Block.h"

using namespace mlir;

namespace partopt::codegen {

/// The cluster of an op that is in one, other than `except`.
void FusionGraph::addOwner(Operation *op, Id except,
                           SmallVectorImpl<Id> &out) const {
  auto it = owner.find(op);
  if (it != owner.end() && it->second != except)
    out.push_back(it->second);
}

void FusionGraph::successors(Id id, SmallVectorImpl<Id> &out) const {
  for (Operation *op : nodes[id].ops) {
    // Free users pass the value on; they have no free operands of ours, since
    // free ops read free ops only.
    for (Operation *user : op->getUsers())
      addOwner(user, id, out);
    if (Operation *next = orderedNext.lookup(op))
      addOwner(next, id, out);
  }
}

void FusionGraph::predecessors(Id id, SmallVectorImpl<Id> &out) const {
  for (Operation *op : nodes[id].ops) {
    for (Value operand : op->getOperands())
      addOwner(operand.getDefiningOp(), id, out);
    addOwner(orderedLast.lookup(op), id, out);
  }
}

/// What `first` leads to and has a smaller rank than `last`. Nothing when a
/// path to `last` goes through it: merging the two would make a cycle.
std::optional<SmallVector<FusionGraph::Id>> FusionGraph::behind(Id first,
                                                                Id last) const {
  llvm::DenseSet<Id> seen;
  SmallVector<Id> found, next, stack = {first};
  while (!stack.empty()) {
    Id id = stack.pop_back_val();
    next.clear();
    successors(id, next);
    for (Id other : next) {
      if (other == last && id != first)
        return std::nullopt;
      if (rank[other] < rank[last] && seen.insert(other).second) {
        found.push_back(other);
        stack.push_back(other);
      }
    }
  }
  return found;
}

/// What leads to `last` and has a larger rank than `first`.
SmallVector<FusionGraph::Id> FusionGraph::before(Id first, Id last) const {
  llvm::SetVector<Id> found;
  SmallVector<Id> next;
  auto visit = [&](Id id) {
    next.clear();
    predecessors(id, next);
    for (Id other : next)
      if (rank[other] > rank[first])
        found.insert(other);
  };
  visit(last);
  for (size_t i = 0; i < found.size(); ++i)
    visit(found[i]);
  return found.takeVector();
}

/// Gives two clusters that become one a common rank: what leads to the later
/// goes before it, what the earlier leads to, `behind`, behind it; all take the
/// ranks that they had together.
void FusionGraph::placeMerged(Id first, Id last, SmallVector<Id> behind) {
  if (behind.empty()) {
    rank[first] = rank[last];
    return;
  }
  SmallVector<Id> order = before(first, last);
  auto isEarlier = [&](Id a, Id b) { return rank[a] < rank[b]; };
  llvm::sort(order, isEarlier);
  llvm::sort(behind, isEarlier);
  order.push_back(last);
  order.append(behind);
  SmallVector<unsigned> ranks = {rank[first]};
  for (Id id : order)
    ranks.push_back(rank[id]);
  llvm::sort(ranks);
  for (auto [id, number] : llvm::zip(order, ranks))
    rank[id] = number;
  rank[first] = rank[last];
}

} // namespace partopt::codegen
