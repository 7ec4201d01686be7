// The exit contract of the partition stage, checked on the program alone.

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_VERIFYPARTITIONEDPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// One argument or result: its type must be the shard of its global type.
LogicalResult verifyBoundary(func::FuncOp func, const Twine &what, Type type,
                             TypeAttr global, sdy::TensorShardingAttr sharding,
                             const Mesh &mesh) {
  if (!global)
    return func.emitOpError() << what << " has no partopt.global_type";
  auto globalType = cast<RankedTensorType>(global.getValue());
  Type expected =
      toLayout(sharding, mesh, globalType.getRank()).localType(globalType);
  if (type != expected)
    return func.emitOpError()
           << what << " has type " << type << ", but " << globalType
           << " sharded like this is " << expected << " on one device";
  return success();
}

struct VerifyPartitioned
    : partopt::impl::VerifyPartitionedPassBase<VerifyPartitioned> {
  void runOnOperation() override {
    Mesh mesh = getModuleMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(verifySignature(func, mesh)) || failed(verifyBody(func)))
        return signalPassFailure();
  }

  static LogicalResult verifySignature(func::FuncOp func, const Mesh &mesh) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (failed(verifyBoundary(
              func, "argument " + Twine(i), func.getArgumentTypes()[i],
              func.getArgAttrOfType<TypeAttr>(i, "partopt.global_type"),
              sdy::getSharding(func.getArgument(i)), mesh)))
        return failure();
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (failed(verifyBoundary(
              func, "result " + Twine(i), func.getResultTypes()[i],
              func.getResultAttrOfType<TypeAttr>(i, "partopt.global_type"),
              sdy::getFuncResultSharding(func, i), mesh)))
        return failure();
    return success();
  }

  static LogicalResult verifyBody(func::FuncOp func) {
    auto result = func.getBody().walk([](Operation *op) -> WalkResult {
      if (isa<sdy::SdyDialect>(op->getDialect()))
        return op->emitOpError("is left after partitioning");
      if (isa<func::CallOp>(op))
        return op->emitOpError("is left after partitioning; calls are inlined "
                               "on import");
      if (op->hasAttr("sdy.sharding"))
        return op->emitOpError("still has a sharding after partitioning");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createVerifyPartitionedPass() {
  return std::make_unique<VerifyPartitioned>();
}
