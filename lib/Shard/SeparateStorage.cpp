// partopt-separate-storage: which axes of a parameter only say where it is
// kept. An axis is storage where the batch takes it in an op that uses the
// parameter; those uses get one gathered copy.

#include "StorageOverride.h"

#include "lib/Shard/Propagation/AxisLists.h"
#include "lib/Shard/Propagation/Propagator.h"
#include "lib/Shard/StorageGathers.h"
#include "partopt/Shard/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/UnitAttributes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SEPARATESTORAGE
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;
using namespace partopt::shard;

namespace {

/// An argument whose axes may be storage.
struct Stored {
  BlockArgument argument;
  TensorState state;
  StorageOverride storage;
  bool isParameter = false;
  /// Axes per dimension that the batch uses too.
  SmallVector<AxisList, 4> shared;
  /// Result that takes the buffer, or -1.
  int64_t result = -1;
};

/// The decisions for one function.
class Separation {
public:
  Separation(func::FuncOp func, const MeshTable &meshes)
      : func(func), meshes(meshes), graph(func, meshes) {}

  LogicalResult collect(Storage defaultStorage);
  bool empty() const { return stored.empty(); }
  void probe();
  /// Returns the number of gathered parameters; counts arguments with storage
  /// axes in `numStored`.
  unsigned apply(unsigned &numStored);

private:
  AxisList batchAxes();
  void findParameterValues();
  void addInvariants(stablehlo::WhileOp loop);
  bool isTaken(const Node &node, unsigned operand, int64_t dim, AxisRef axis);
  bool conflicts(OpOperand &use, int64_t dim, AxisRef axis, Storage storage,
                 DenseSet<std::pair<Value, int64_t>> &seen);
  bool reaches(OpOperand &use, int64_t dim, AxisRef axis, Storage storage);
  void record(const Stored &entry);

  func::FuncOp func;
  const MeshTable &meshes;
  Graph graph;
  SmallVector<Stored, 0> stored;
  DenseMap<Operation *, const Node *> nodeOf;
  /// Values computed from parameters, state and constants only.
  DenseSet<Value> parameterValues;
};

AxisList Separation::batchAxes() {
  AxisList axes;
  for (BlockArgument argument : func.getArguments()) {
    int slot = graph.slotOf(argument);
    if (slot < 0 || roleOf(argument) != "batch")
      continue;
    for (const DimState &dim : graph.slots[slot].state.dims)
      for (const AxisRef &axis : dim.axes)
        if (!axesOverlap(axis, axes))
          axes.push_back(axis);
  }
  return axes;
}

LogicalResult Separation::collect(Storage defaultStorage) {
  AxisList batch = batchAxes();
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    Stored entry;
    entry.argument = argument;
    auto storage = readStorageOverride(argument, defaultStorage, meshes);
    if (failed(storage))
      return failure();
    entry.storage = std::move(*storage);
    StringRef kind = roleOf(func, index);
    int slot = graph.slotOf(argument);
    if (slot < 0 || !(kind == "param" || kind == "opt" || kind == "state"))
      continue;
    entry.isParameter = kind != "opt";
    entry.state = graph.slots[slot].state;
    bool any = false;
    for (const DimState &dim : entry.state.dims) {
      AxisList &shared = entry.shared.emplace_back();
      for (const AxisRef &axis : dim.axes)
        if (axesOverlap(axis, batch) &&
            entry.storage.of(axis) != Storage::Compute)
          shared.push_back(axis);
      any |= !shared.empty();
    }
    if (!any)
      continue;
    if (std::optional<unsigned> next = nextResultOf(func, index))
      entry.result = *next;
    stored.push_back(std::move(entry));
  }
  return success();
}

/// Propagates with all shared axes hidden, as if all were storage.
void Separation::probe() {
  auto hide = [&](int slot, ArrayRef<AxisList> shared) {
    if (slot < 0)
      return;
    TensorState &state = graph.slots[slot].state;
    for (auto [dim, axes] : llvm::zip(state.dims, shared))
      llvm::erase_if(dim.axes, [&, &hidden = axes](const AxisRef &axis) {
        return axesOverlap(axis, hidden);
      });
  };
  for (const Stored &entry : stored) {
    hide(graph.slotOf(entry.argument), entry.shared);
    if (entry.result >= 0)
      hide(graph.resultNodes[entry.result].results[0], entry.shared);
  }
  Propagator(graph, PropagationOptions()).run();
  // Ops with edges have a node per edge and are followed by their operands.
  for (const Node &node : graph.nodes)
    if (!isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
             stablehlo::OptimizationBarrierOp>(node.op))
      nodeOf[node.op] = &node;
  findParameterValues();
}

void Separation::findParameterValues() {
  for (BlockArgument argument : func.getArguments()) {
    StringRef kind = roleOf(argument);
    if (kind == "param" || kind == "opt" || kind == "state")
      parameterValues.insert(argument);
  }
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      addInvariants(loop);
      return;
    }
    // Each of its results is the operand of the same number.
    if (isa<stablehlo::OptimizationBarrierOp>(op)) {
      for (auto [operand, result] :
           llvm::zip(op->getOperands(), op->getResults()))
        if (parameterValues.contains(operand))
          parameterValues.insert(result);
      return;
    }
    if (!nodeOf.count(op) || isa<sdy::ShardingConstraintOp>(op))
      return;
    if (llvm::all_of(op->getOperands(), [&](Value operand) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          return parameterValues.contains(operand) ||
                 (type && type.getRank() == 0 && op->getNumOperands() > 1);
        }))
      parameterValues.insert(op->result_begin(), op->result_end());
  });
}

/// A loop's argument that starts as a parameter and is handed on unchanged.
void Separation::addInvariants(stablehlo::WhileOp loop) {
  Block &body = loop.getBody().front();
  for (auto [i, init] : llvm::enumerate(loop->getOperands())) {
    Value argument = body.getArgument(i);
    if (parameterValues.contains(init) &&
        body.getTerminator()->getOperand(i) == argument)
      parameterValues.insert(argument);
  }
}

/// True if the op splits another factor than those of operand dimension `dim`
/// over (a part of) `axis`.
bool Separation::isTaken(const Node &node, unsigned operand, int64_t dim,
                         AxisRef axis) {
  const DimMapping &own = node.rule.operands[operand][dim];
  for (size_t i = 0; i < node.sizes.size(); ++i) {
    int slot = node.slot(i);
    if (slot < 0 || !graph.slots[slot].state.hasSharding())
      continue;
    TensorFactors factors =
        project(graph.slots[slot].state, node.mapping(i), node.rule);
    for (const FactorSharding &sharding : factors.factors)
      if (!llvm::is_contained(own, sharding.factor) &&
          (axesOverlap(axis, sharding.axes) ||
           axesOverlap(axis, sharding.overflow)))
        return true;
  }
  return false;
}

/// Result dimensions that `axis` reaches from operand dimension `dim`.
SmallVector<std::pair<unsigned, int64_t>>
reachedDims(const Node &node, unsigned operand, int64_t dim, AxisRef axis) {
  TensorState state;
  state.mesh = 0;
  state.dims.resize(node.rule.operands[operand].size());
  state.dims[dim].axes.push_back(axis);
  TensorFactors factors =
      project(state, node.rule.operands[operand], node.rule);
  SmallVector<std::pair<unsigned, int64_t>> reached;
  for (auto [result, mapping] : llvm::enumerate(node.rule.results))
    for (auto [d, dimFactors] : llvm::enumerate(mapping))
      for (unsigned factor : dimFactors)
        if (const FactorSharding *sharding = factors.find(factor);
            sharding && !sharding->axes.empty())
          reached.push_back({result, d});
  return reached;
}

bool Separation::conflicts(OpOperand &use, int64_t dim, AxisRef axis,
                           Storage storage,
                           DenseSet<std::pair<Value, int64_t>> &seen) {
  Operation *user = use.getOwner();
  unsigned operand = use.getOperandNumber();
  auto follow = [&](Value value, int64_t d) {
    return seen.insert({value, d}).second &&
           llvm::any_of(value.getUses(), [&](OpOperand &next) {
             return conflicts(next, d, axis, storage, seen);
           });
  };
  if (auto loop = dyn_cast<stablehlo::WhileOp>(user))
    return follow(loop.getBody().getArgument(operand), dim);
  if (isa<stablehlo::OptimizationBarrierOp>(user))
    return follow(user->getResult(operand), dim);
  auto it = nodeOf.find(user);
  // A constraint is the user's own decision; unknown ops and the return take
  // the value as it is.
  if (it == nodeOf.end() || isa<sdy::ShardingConstraintOp>(user))
    return false;
  const Node &node = *it->second;
  if (node.operands[operand] < 0)
    return false;
  if (isTaken(node, operand, dim, axis))
    return true;
  if (!parameterValues.contains(user->getResult(0)))
    return storage == Storage::Keep && !node.elementwise;
  // A part of the rows (one layer of a stack) lies on few of the devices.
  if (llvm::any_of(node.rule.operands[operand][dim], [&](unsigned factor) {
        FactorKind kind = node.rule.factors[factor].kind;
        return kind == FactorKind::NeedReplication ||
               kind == FactorKind::Permutation;
      }))
    return true;
  return llvm::any_of(reachedDims(node, operand, dim, axis),
                      [&](const std::pair<unsigned, int64_t> &reached) {
                        return follow(user->getResult(reached.first),
                                      reached.second);
                      });
}

bool Separation::reaches(OpOperand &use, int64_t dim, AxisRef axis,
                         Storage storage) {
  DenseSet<std::pair<Value, int64_t>> seen;
  return conflicts(use, dim, axis, storage, seen);
}

/// Notes the storage axes on the argument and the result with its buffer.
void Separation::record(const Stored &entry) {
  MLIRContext *context = func.getContext();
  SmallVector<sdy::AxisRefListAttr> lists;
  for (const AxisList &axes : entry.shared) {
    SmallVector<sdy::AxisRefAttr> attrs;
    for (const AxisRef &axis : axes)
      attrs.push_back(meshes.writeAxis(context, entry.state.mesh, axis));
    lists.push_back(sdy::AxisRefListAttr::get(context, attrs));
  }
  auto attr = sdy::ListOfAxisRefListsAttr::get(context, lists);
  func.setArgAttr(entry.argument.getArgNumber(), kStorageAxesAttr, attr);
  if (entry.result >= 0 && sdy::getFuncResultSharding(func, entry.result) ==
                               sdy::getSharding(entry.argument))
    func.setResultAttr(entry.result, kStorageAxesAttr, attr);
}

unsigned Separation::apply(unsigned &numStored) {
  unsigned gathered = 0;
  for (Stored &entry : stored) {
    SmallVector<OpOperand *> uses;
    SmallVector<AxisList, 4> axes(entry.shared.size());
    for (OpOperand &use : entry.argument.getUses()) {
      bool needed = false;
      for (auto [dim, shared] : llvm::enumerate(entry.shared))
        for (const AxisRef &axis : shared)
          if (reaches(use, dim, axis, entry.storage.of(axis))) {
            needed = true;
            if (!llvm::is_contained(axes[dim], axis))
              axes[dim].push_back(axis);
          }
      if (needed)
        uses.push_back(&use);
    }
    // A parameter whose axes nobody takes computes with them; optimizer state
    // only follows its parameter.
    if (entry.isParameter) {
      entry.shared = axes;
      if (uses.empty())
        continue;
    }
    ++numStored;
    record(entry);
    if (uses.empty())
      continue;
    gatherStorage(entry.argument, entry.state, meshes, uses, axes);
    ++gathered;
  }
  return gathered;
}

struct SeparateStoragePass
    : partopt::impl::SeparateStorageBase<SeparateStoragePass> {
  using SeparateStorageBase::SeparateStorageBase;

  void runOnOperation() override {
    std::optional<Storage> mode = parseStorage(storage);
    if (!mode) {
      getOperation().emitError()
          << "storage=" << storage << " is unknown; use auto, keep or compute";
      return signalPassFailure();
    }
    MeshTable meshes(getOperation());
    if (meshes.mainMesh() < 0)
      return;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      Separation separation(func, meshes);
      if (failed(separation.collect(*mode)))
        return signalPassFailure();
      if (separation.empty())
        continue;
      separation.probe();
      unsigned kept = 0;
      numGathered += separation.apply(kept);
      numStored += kept;
    }
  }
};

} // namespace
