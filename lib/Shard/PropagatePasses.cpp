// The propagation passes. Each contains the one before; they differ in the
// rounds that they run.

#include "lib/Shard/Propagation/Propagator.h"
#include "partopt/Shard/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_BASICPROPAGATE
#define GEN_PASS_DEF_AGGRESSIVEPROPAGATE
#define GEN_PASS_DEF_OPPRIORITYPROPAGATE
#define GEN_PASS_DEF_USERPRIORITYPROPAGATE
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

static void propagate(ModuleOp module, shard::PropagationOptions options) {
  shard::MeshTable meshes(module);
  if (meshes.mainMesh() < 0)
    return;
  for (auto func : module.getOps<func::FuncOp>()) {
    shard::Graph graph(func, meshes);
    shard::Propagator(graph, options).run();
    graph.write(/*priorities=*/!options.userPriorities);
  }
}

namespace {
struct BasicPropagatePass
    : partopt::impl::BasicPropagateBase<BasicPropagatePass> {
  void runOnOperation() override {
    propagate(getOperation(), {false, false, false, {}});
  }
};
struct AggressivePropagatePass
    : partopt::impl::AggressivePropagateBase<AggressivePropagatePass> {
  void runOnOperation() override {
    propagate(getOperation(), {true, false, false, {}});
  }
};
struct OpPriorityPropagatePass
    : partopt::impl::OpPriorityPropagateBase<OpPriorityPropagatePass> {
  void runOnOperation() override {
    propagate(getOperation(), {true, true, false, {}});
  }
};
struct UserPriorityPropagatePass
    : partopt::impl::UserPriorityPropagateBase<UserPriorityPropagatePass> {
  void runOnOperation() override {
    propagate(getOperation(), {true, true, true, {}});
  }
};
} // namespace
