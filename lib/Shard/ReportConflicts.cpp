// partopt-report-conflicts: tells where the tensors of an op ended with
// different axes for the same factor, so that one of them is resharded.

#include "lib/Shard/Propagation/AxisLists.h"
#include "lib/Shard/Propagation/Graph.h"
#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_REPORTCONFLICTS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;
using namespace partopt::shard;

namespace {

/// A tensor of a node by the words "operand 1" or "result 0".
std::string tensorName(const Node &node, size_t tensor) {
  bool isOperand = tensor < node.operands.size();
  size_t index = isOperand ? tensor : tensor - node.operands.size();
  return (isOperand ? "operand " : "result ") + std::to_string(index);
}

/// True if the tensor could have `axes` for `factor` but for other factors.
bool lostToOtherFactor(const TensorFactors &tensor, unsigned factor,
                       llvm::ArrayRef<AxisRef> axes) {
  return llvm::any_of(tensor.factors, [&](const FactorSharding &other) {
    return other.factor != factor && axesOverlap(other.axes, axes);
  });
}

struct ReportConflictsPass
    : partopt::impl::ReportConflictsBase<ReportConflictsPass> {
  void runOnOperation() override {
    MeshTable meshes(getOperation());
    if (meshes.mainMesh() < 0)
      return;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      Graph graph(func, meshes);
      for (const Node &node : graph.nodes)
        report(graph, meshes, node);
    }
  }

  void report(const Graph &graph, const MeshTable &meshes, const Node &node) {
    SmallVector<TensorFactors, 4> tensors;
    int mesh = -1;
    for (size_t i = 0; i < node.sizes.size(); ++i) {
      int slot = node.slot(i);
      tensors.push_back(slot < 0 ? TensorFactors()
                                 : project(graph.slots[slot].state,
                                           node.mapping(i), node.rule));
      if (slot >= 0 && graph.slots[slot].state.hasSharding())
        mesh = graph.slots[slot].state.mesh;
    }
    for (unsigned factor = 0; factor < node.rule.factors.size(); ++factor)
      reportFactor(meshes, mesh, node, factor, tensors);
  }

  /// Compares every tensor with the one that has the most axes.
  void reportFactor(const MeshTable &meshes, int mesh, const Node &node,
                    unsigned factor, ArrayRef<TensorFactors> tensors) {
    std::optional<size_t> most;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      const FactorSharding *sharding = tensor.find(factor);
      if (sharding &&
          (!most || axesSize(sharding->axes) >
                        axesSize(tensors[*most].find(factor)->axes)))
        most = i;
    }
    if (!most)
      return;
    const AxisList &axes = tensors[*most].find(factor)->axes;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      const FactorSharding *sharding = tensor.find(factor);
      if (!sharding || sharding->axes == axes)
        continue;
      bool contradicts = !isStrictPrefix(sharding->axes, axes);
      if (!contradicts && !lostToOtherFactor(tensor, factor, axes))
        continue;
      ++numConflicts;
      node.op->emitRemark()
          << "factor " << sdy::factorSymbol(factor) << " is split over "
          << text(meshes, mesh, axes) << " in " << tensorName(node, *most)
          << " and over " << text(meshes, mesh, sharding->axes) << " in "
          << tensorName(node, i)
          << (contradicts ? "" : ", where another dimension has the axis");
    }
  }

  std::string text(const MeshTable &meshes, int mesh, ArrayRef<AxisRef> axes) {
    std::string result = "{";
    for (const AxisRef &axis : axes) {
      if (result.size() > 1)
        result += ", ";
      result += meshes.writeAxis(&getContext(), mesh, axis).toString();
    }
    return result + "}";
  }
};

} // namespace
