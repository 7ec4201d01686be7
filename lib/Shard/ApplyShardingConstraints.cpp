// sdy-apply-sharding-constraints: gives a value the closed sharding that its
// constraint asks for, so that nothing else is propagated to the value first.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYSHARDINGCONSTRAINTS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

static bool isConstraint(Operation *op) {
  return isa<sdy::ShardingConstraintOp, sdy::ManualComputationOp>(op);
}

/// True if another user asks for a different sharding of the same value.
static bool isAmbiguous(sdy::ShardingConstraintOp constraint) {
  return llvm::any_of(constraint.getInput().getUsers(), [&](Operation *user) {
    if (user == constraint || !isConstraint(user))
      return false;
    auto other = dyn_cast<sdy::ShardingConstraintOp>(user);
    return !other || other.getSharding() != constraint.getSharding();
  });
}

/// The last constraint of a chain that starts with `first`, or null if the
/// value or the chain has other users that ask for a sharding.
static sdy::ShardingConstraintOp endOfChain(sdy::ShardingConstraintOp first) {
  Value input = first.getInput();
  if (input.getDefiningOp<sdy::ShardingConstraintOp>() ||
      llvm::any_of(input.getUsers(), [&](Operation *user) {
        return user != first && isConstraint(user);
      }))
    return {};
  sdy::ShardingConstraintOp last = first;
  while (last.getResult().hasOneUse()) {
    auto next =
        dyn_cast<sdy::ShardingConstraintOp>(*last.getResult().user_begin());
    if (!next)
      break;
    last = next;
  }
  if (last == first || llvm::any_of(last.getResult().getUsers(), isConstraint))
    return {};
  return last;
}

namespace {
struct ApplyShardingConstraintsPass
    : partopt::impl::ApplyShardingConstraintsBase<
          ApplyShardingConstraintsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](sdy::ShardingConstraintOp constraint) {
      Value input = constraint.getInput();
      if (sdy::getSharding(input) || input.getDefiningOp<sdy::DataFlowEdgeOp>())
        return;
      sdy::ShardingConstraintOp last = endOfChain(constraint);
      if (constraint.getSharding().isFullyClosed() &&
          !isAmbiguous(constraint)) {
        sdy::setSharding(input, constraint.getSharding());
        ++numApplied;
      }
      if (!last)
        return;
      input.replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user->getBlock() == last->getBlock() &&
               last->isBeforeInBlock(user);
      });
    });
  }
};
} // namespace
