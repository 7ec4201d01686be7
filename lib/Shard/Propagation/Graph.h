// The function as propagation sees it: slots (tensors that always have the same
// sharding) and nodes (ops and data-flow edges with a sharding rule).

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_GRAPH_H
#define PARTOPT_LIB_SHARD_PROPAGATION_GRAPH_H

#include "lib/Shard/Propagation/FactorPropagation.h"
#include "lib/Shard/Propagation/TensorState.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace partopt::shard {

/// How early an op takes part, see Propagator.
enum class OpClass : uint8_t {
  /// Elementwise ops, reshape, transpose, data-flow edges.
  PassThrough,
  DynamicSlice,
  Broadcast,
  /// In all rounds, in the direction that it allows.
  Barrier,
  Other
};

struct Node {
  /// Null for the node between a returned value and the function's result.
  mlir::Operation *op = nullptr;
  ShardingRule rule;
  /// Slots, -1 for values that are no tensors.
  llvm::SmallVector<int, 4> operands;
  llvm::SmallVector<int, 1> results;
  llvm::SmallVector<int64_t, 4> sizes;
  OpClass opClass = OpClass::Other;
  bool elementwise = false;
  /// Some operand that is no scalar has another use.
  bool sharesOperands = false;
  Direction allowed = Both;

  int slot(size_t tensor) const {
    return tensor < operands.size() ? operands[tensor]
                                    : results[tensor - operands.size()];
  }
  const TensorMapping &mapping(size_t tensor) const {
    return tensor < operands.size() ? rule.operands[tensor]
                                    : rule.results[tensor - operands.size()];
  }
};

struct Slot {
  TensorState state;
  /// Storage axes per dimension: hidden until everything else has settled, so
  /// that where a parameter is kept never decides how activations are computed.
  llvm::SmallVector<AxisList, 0> storage;
  /// Has a sharding that propagation must leave alone.
  bool frozen = false;
  /// Nodes to look at again when the state changes.
  llvm::SmallVector<unsigned, 4> nodes;
};

/// Slots and nodes of one function. Loop-carried values (init, arguments,
/// results of a while), the results of a case and the members of a sharding
/// group are one slot each.
class Graph {
public:
  Graph(mlir::func::FuncOp func, const MeshTable &meshes);

  /// Writes the states into the IR.
  void write(bool priorities = false) const;

  llvm::SmallVector<Slot, 0> slots;
  /// In program order.
  llvm::SmallVector<Node, 0> nodes;
  /// One per function result: from the returned value to the result's slot.
  llvm::SmallVector<Node, 0> resultNodes;

  /// Slot of a value, -1 if it is no tensor.
  int slotOf(mlir::Value value) const;

private:
  void addSlots(mlir::Region &region);
  void unifyEdges(mlir::Operation *op);
  void unifyGroups();
  void unify(mlir::Value a, mlir::Value b);
  void loadStates();
  void load(int slot, sdy::TensorShardingAttr sharding);
  void loadStorage(int slot, mlir::Attribute storage);
  void addNodes(mlir::Region &region);
  void addOpNode(mlir::Operation *op);
  void addEdgeNodes(mlir::Operation *op);
  void addEdge(mlir::Operation *op, llvm::ArrayRef<mlir::Value> sources,
               mlir::Value target);
  void addResultNodes();

  mutable mlir::func::FuncOp func;
  const MeshTable &meshes;
  /// All tensors, in program order, and their slots.
  llvm::SmallVector<mlir::Value, 0> values;
  llvm::DenseMap<mlir::Value, int> slotOfValue;
  llvm::SmallVector<int, 0> parents;
};

/// Attribute of function arguments and results: their storage axes, a
/// `#sdy.list_of_axis_ref_lists` with an entry per dimension.
inline constexpr llvm::StringLiteral kStorageAxesAttr = "partopt.storage_axes";

/// A rule that maps every dimension of `shape` to itself across tensors.
ShardingRule identityRule(llvm::ArrayRef<int64_t> shape, size_t operands);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_GRAPH_H
