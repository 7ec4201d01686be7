// See LateSums.h.

#include "LateSums.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace partopt;

void partopt::copyLateBroadcasts(Operation *end) {
  SmallVector<stablehlo::BroadcastInDimOp> broadcasts;
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode())
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
      broadcasts.push_back(broadcast);
  // From the last, so that a broadcast of a broadcast is copied with it.
  for (stablehlo::BroadcastInDimOp broadcast : llvm::reverse(broadcasts)) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : broadcast->getUses())
      uses.push_back(&use);
    OpBuilder builder(broadcast);
    for (OpOperand *use : llvm::drop_begin(uses, uses.empty() ? 0 : 1))
      use->set(builder.clone(*broadcast)->getResult(0));
  }
}

namespace {

class SumGrouper {
public:
  SumGrouper(stablehlo::AddOp root, llvm::function_ref<int64_t(Value)> rankOf)
      : root(root), rankOf(rankOf) {}
  bool run();

private:
  void collect(Value value);
  Value addUp(ArrayRef<Value> values);

  stablehlo::AddOp root;
  llvm::function_ref<int64_t(Value)> rankOf;
  SmallVector<Value> summands;
  SmallVector<Operation *> adds;
};

void SumGrouper::collect(Value value) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    auto add = next.getDefiningOp<stablehlo::AddOp>();
    bool isInner = add && add->getBlock() == root->getBlock() &&
                   (add == root || next.hasOneUse()) &&
                   add.getType() == root.getType();
    if (!isInner) {
      summands.push_back(next);
      continue;
    }
    adds.push_back(add);
    work.push_back(add.getRhs());
    work.push_back(add.getLhs());
  }
}

Value SumGrouper::addUp(ArrayRef<Value> values) {
  OpBuilder builder(root);
  Value sum = values.front();
  for (Value value : values.drop_front())
    sum = builder.create<stablehlo::AddOp>(root.getLoc(), sum, value);
  return sum;
}

bool SumGrouper::run() {
  collect(root.getResult());
  std::map<int64_t, SmallVector<Value>> byRank;
  for (Value summand : summands)
    byRank[rankOf(summand)].push_back(summand);
  size_t ranks = byRank.size() - byRank.count(-1);
  if (ranks < 2 || byRank.size() == summands.size())
    return false;
  SmallVector<Value> sums;
  for (const auto &[rank, values] : byRank)
    sums.push_back(addUp(values));
  root.replaceAllUsesWith(addUp(sums));
  for (Operation *add : adds) // each in front of what it reads
    add->erase();
  return true;
}

} // namespace

bool partopt::groupLateSums(Operation *end,
                            llvm::function_ref<int64_t(Value)> rankOf) {
  SmallVector<stablehlo::AddOp> roots;
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode()) {
    auto add = dyn_cast<stablehlo::AddOp>(op);
    auto isInner = [&](Operation *user) {
      return isa<stablehlo::AddOp>(user) &&
             user->getResultTypes() == add->getResultTypes() &&
             add->hasOneUse();
    };
    if (add && llvm::none_of(add->getUsers(), isInner))
      roots.push_back(add);
  }
  bool changed = false;
  for (stablehlo::AddOp root : roots)
    changed |= SumGrouper(root, rankOf).run();
  return changed;
}
