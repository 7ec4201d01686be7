// Gradients of stored shards over microbatches: scattered in every one, or
// once.

#include "TimeDependence.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SHARDACCUMULATORSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// A sum over iterations, ops that only move its elements, and the scatter.
struct ScatteredSum {
  comm::AllReduceOp sum;
  SmallVector<Operation *> moves;
  comm::ReduceScatterOp scatter;
};

bool movesElements(Operation *op) {
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return isIdentity(pad.getPaddingValue(), Combiner::Sum);
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp>(op);
}

std::optional<ScatteredSum> scatteredSum(comm::AllReduceOp sum) {
  if (sum.getCombiner() != comm::CombinerKind::Sum || sum->getNumResults() != 1)
    return std::nullopt;
  ScatteredSum found{sum, {}, {}};
  Operation *at = sum;
  while (at->getResult(0).hasOneUse()) {
    Operation *user = *at->getResult(0).user_begin();
    if (auto scatter = dyn_cast<comm::ReduceScatterOp>(user)) {
      if (scatter.getCombiner() != comm::CombinerKind::Sum ||
          scatter->getNumResults() != 1)
        return std::nullopt;
      found.scatter = scatter;
      return found;
    }
    if (!movesElements(user) || user->getOperand(0) != at->getResult(0))
      return std::nullopt;
    found.moves.push_back(user);
    at = user;
  }
  return std::nullopt;
}

int64_t bytesOf(Value value) {
  return tensorBytes(cast<RankedTensorType>(value.getType()));
}

/// The iteration's part is moved and scattered, and then summed.
void scatterFirst(ScatteredSum found) {
  found.sum.getResult(0).replaceAllUsesWith(found.sum->getOperand(0));
  Value shard = found.scatter.getResult(0);
  OpBuilder builder(found.scatter->getContext());
  builder.setInsertionPointAfter(found.scatter);
  IRMapping mapping;
  mapping.map(found.sum->getOperand(0), shard);
  Operation *sum = builder.clone(*found.sum, mapping);
  sum->getResult(0).setType(shard.getType());
  shard.replaceAllUsesExcept(sum->getResult(0), sum);
  found.sum->erase();
}

struct ShardAccumulators
    : partopt::impl::ShardAccumulatorsPassBase<ShardAccumulators> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    LogicalResult ran = withTimeCut(func, [&](TimeCut &cut) {
      auto mode = func->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
          kAccumulateAttr);
      shard(func, cut.axis, mode && mode.getValue() == "sharded");
      return success();
    });
    if (failed(ran))
      signalPassFailure();
  }

  void shard(func::FuncOp func, const MeshAxis &axis, bool sharded) {
    int64_t whole = 0, parts = 0, wire = 0;
    for (auto sum : llvm::make_early_inc_range(
             func.getBody().front().getOps<comm::AllReduceOp>())) {
      std::optional<ScatteredSum> found;
      if (overAxis(sum, axis.name))
        found = scatteredSum(sum);
      if (!found)
        continue;
      int64_t group = found->scatter.getAxes().getGroupSize();
      int64_t payload = bytesOf(found->scatter->getOperand(0));
      whole += bytesOf(sum.getResult(0));
      parts += bytesOf(found->scatter.getResult(0));
      wire += payload * (group - 1) / group;
      if (!sharded)
        continue;
      scatterFirst(*found);
      ++numSharded;
    }
    if (whole != 0)
      addNote(func, "accumulate",
              "gradients of stored shards are accumulated " +
                  Twine(sharded ? "sharded" : "full") +
                  " over microbatches: full holds " + Twine(whole) +
                  " bytes per device and scatters " + Twine(wire) +
                  " per step, sharded " + Twine(parts) + " and " +
                  Twine(wire * axis.size));
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createShardAccumulatorsPass() {
  return std::make_unique<ShardAccumulators>();
}
