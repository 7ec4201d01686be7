// The exit contract of propagation.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_VERIFYPROPAGATED
#include "partopt/Shard/Passes.h.inc"

namespace {

/// Fails with an error at the value when it has no closed sharding.
LogicalResult checkValue(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return success();
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding)
    return emitError(value.getLoc()) << "a value of " << value.getType()
                                     << " has no sharding after propagation";
  if (!sharding.isFullyClosed())
    return emitError(value.getLoc())
           << "sharding " << sharding << " is open after propagation";
  return success();
}

LogicalResult checkOp(Operation &op) {
  if (isa<sdy::ShardingConstraintOp>(op))
    return op.emitOpError("is left after propagation; it should be a reshard");
  for (Value result : op.getResults())
    if (failed(checkValue(result)))
      return failure();
  return success();
}

struct VerifyPropagatedPass : impl::VerifyPropagatedBase<VerifyPropagatedPass> {
  void runOnOperation() override {
    if (!sdy::getMainMesh(getOperation()))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody()) {
        for (BlockArgument argument : block.getArguments())
          if (failed(checkValue(argument)))
            return signalPassFailure();
        for (Operation &op : block)
          if (failed(checkOp(op)))
            return signalPassFailure();
      }
  }
};

} // namespace
} // namespace partopt
