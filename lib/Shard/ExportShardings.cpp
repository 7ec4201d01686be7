// The small passes after propagation: they settle what is open and bring the
// shardings of the function's inputs and outputs into their final form.

#include "lib/Shard/Propagation/TensorState.h"
#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/ControlFlowOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <numeric>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_CLOSESHARDINGS
#define GEN_PASS_DEF_COMPLETESHARDINGS
#define GEN_PASS_DEF_REMOVESHARDINGGROUPS
#define GEN_PASS_DEF_REMOVESUBAXESININPUTOUTPUTSHARDINGS
#define GEN_PASS_DEF_SHARDINGCONSTRAINTTORESHARD
#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;
using shard::MeshTable;
using shard::TensorState;

using UpdateState = llvm::function_ref<void(TensorState &, RankedTensorType)>;

/// Rewrites the shardings of all arguments and results of `func`.
static void updateInputsAndOutputs(func::FuncOp func, const MeshTable &meshes,
                                   UpdateState update) {
  auto rewrite = [&](sdy::TensorShardingAttr sharding, Type type, auto set) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!sharding || !tensor)
      return;
    std::optional<TensorState> state = meshes.read(sharding);
    if (!state)
      return;
    update(*state, tensor);
    set(meshes.write(func.getContext(), *state));
  };
  for (BlockArgument argument : func.getArguments())
    rewrite(sdy::getSharding(argument), argument.getType(),
            [&](auto attr) { sdy::setSharding(argument, attr); });
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    rewrite(sdy::getFuncResultSharding(func, i), func.getResultTypes()[i],
            [&](auto attr) { sdy::setFuncResultSharding(func, i, attr); });
}

/// Calls `visit` on every value that can hold a sharding.
static void forEachValue(func::FuncOp func,
                         llvm::function_ref<void(Value)> visit) {
  for (BlockArgument argument : func.getArguments())
    visit(argument);
  func.walk([&](Operation *op) {
    if (op != func && !isa<func::ReturnOp>(op))
      for (Value result : op->getResults())
        visit(result);
  });
}

/// All that is open stays replicated, so saying so is of no use any more.
static sdy::TensorShardingAttr closed(sdy::TensorShardingAttr sharding) {
  return sharding.getClosedLike().replaceReplicatedAxes({});
}

namespace {
struct CloseShardingsPass
    : partopt::impl::CloseShardingsBase<CloseShardingsPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      forEachValue(func, [](Value value) {
        if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
          sdy::setSharding(value, closed(sharding));
      });
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        if (auto sharding = sdy::getFuncResultSharding(func, i))
          sdy::setFuncResultSharding(func, i, closed(sharding));
    }
  }
};

struct CompleteShardingsPass
    : partopt::impl::CompleteShardingsBase<CompleteShardingsPass> {
  void runOnOperation() override {
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    if (!mesh)
      return;
    auto name = FlatSymbolRefAttr::get(mesh.getSymNameAttr());
    auto replicated = [&](Type type) {
      return sdy::TensorShardingAttr::getFullyClosed(
          &getContext(), cast<RankedTensorType>(type).getRank(), name);
    };
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      complete(func.getArguments(), replicated);
      func.walk<WalkOrder::PreOrder>([&](Operation *op) {
        complete(op->getResults(), replicated);
        // The regions of all other ops, like reducers, hold scalars of no
        // layout.
        bool hasTensors = isa<func::FuncOp, stablehlo::WhileOp,
                              stablehlo::CaseOp, stablehlo::IfOp>(op);
        return hasTensors ? WalkResult::advance() : WalkResult::skip();
      });
      for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
        if (isa<RankedTensorType>(type) &&
            !sdy::getFuncResultSharding(func, index))
          sdy::setFuncResultSharding(func, index, replicated(type));
    }
  }

  /// Setting one of an op's shardings makes all others open, so what is missing
  /// is found first.
  template <typename Replicated>
  void complete(ValueRange values, Replicated replicated) {
    SmallVector<Value> missing;
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()) && !sdy::getSharding(value))
        missing.push_back(value);
    for (Value value : missing)
      sdy::setSharding(value, replicated(value.getType()));
  }
};

struct RemoveShardingGroupsPass
    : partopt::impl::RemoveShardingGroupsBase<RemoveShardingGroupsPass> {
  void runOnOperation() override {
    getOperation()->walk([](sdy::ShardingGroupOp group) { group.erase(); });
  }
};

struct ShardingConstraintToReshardPass
    : partopt::impl::ShardingConstraintToReshardBase<
          ShardingConstraintToReshardPass> {
  void runOnOperation() override {
    getOperation()->walk([](sdy::ShardingConstraintOp constraint) {
      if (constraint.getResult().use_empty()) {
        constraint.erase();
        return;
      }
      OpBuilder builder(constraint);
      auto reshard = builder.create<sdy::ReshardOp>(
          constraint.getLoc(), constraint.getInput(), constraint.getSharding());
      for (NamedAttribute attr : constraint->getDiscardableAttrs())
        reshard->setAttr(attr.getName(), attr.getValue());
      constraint.replaceAllUsesWith(reshard.getResult());
      constraint.erase();
    });
  }
};

struct UpdateNonDivisibleInputOutputShardingsPass
    : partopt::impl::UpdateNonDivisibleInputOutputShardingsBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
  void runOnOperation() override {
    MeshTable meshes(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      updateInputsAndOutputs(
          func, meshes, [](TensorState &state, RankedTensorType type) {
            for (auto [dim, size] : llvm::zip(state.dims, type.getShape()))
              keepDivisible(dim.axes, size);
          });
  }

  /// Cuts `axes` to the longest major part that divides `size`.
  static void keepDivisible(AxisList &axes, int64_t size) {
    int64_t parts = 1;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (size % (parts * axes[i].size) == 0) {
        parts *= axes[i].size;
        continue;
      }
      int64_t common = std::gcd(size / parts, axes[i].size);
      axes.truncate(common > 1 ? i + 1 : i);
      if (common > 1)
        axes.back().size = common;
      return;
    }
  }
};

struct RemoveSubAxesInInputOutputShardingsPass
    : partopt::impl::RemoveSubAxesInInputOutputShardingsBase<
          RemoveSubAxesInInputOutputShardingsPass> {
  void runOnOperation() override {
    MeshTable meshes(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      updateInputsAndOutputs(
          func, meshes, [&](TensorState &state, RankedTensorType) {
            for (shard::DimState &dim : state.dims)
              for (size_t i = 0; !dim.closed && i < dim.axes.size(); ++i)
                if (meshes.writeAxis(&getContext(), state.mesh, dim.axes[i])
                        .getSubAxisInfo()) {
                  dim.axes.truncate(i);
                  break;
                }
          });
  }
};
} // namespace
