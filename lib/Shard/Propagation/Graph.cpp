// Building the graph from a function and writing its states back.

#include "lib/Shard/Propagation/Graph.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::shard {

static llvm::ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int64_t numElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

ShardingRule identityRule(llvm::ArrayRef<int64_t> shape, size_t operands) {
  ShardingRule rule;
  rule.operands.assign(operands, TensorMapping(shape.size()));
  rule.results.assign(1, TensorMapping(shape.size()));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    unsigned factor = rule.addFactor(size);
    for (TensorMapping &mapping : rule.operands)
      mapping[dim].push_back(factor);
    rule.results[0][dim].push_back(factor);
  }
  return rule;
}

/// Ops whose regions hold tensors that shardings flow into.
static bool hasEdges(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
             stablehlo::OptimizationBarrierOp>(op);
}

Graph::Graph(func::FuncOp func, const MeshTable &meshes)
    : func(func), meshes(meshes) {
  addSlots(func.getBody());
  unifyGroups();
  // Unified values share the slot of their root.
  llvm::SmallVector<int, 0> slotOfRoot(parents.size(), -1);
  for (Value value : values) {
    int root = slotOfValue[value];
    while (parents[root] != root)
      root = parents[root];
    if (slotOfRoot[root] < 0) {
      slotOfRoot[root] = slots.size();
      slots.emplace_back();
    }
    slotOfValue[value] = slotOfRoot[root];
  }
  loadStates();
  addNodes(func.getBody());
  addResultNodes();
  for (auto [index, node] : llvm::enumerate(nodes))
    for (size_t i = 0; i < node.sizes.size(); ++i)
      if (int slot = node.slot(i); slot >= 0)
        if (slots[slot].nodes.empty() || slots[slot].nodes.back() != index)
          slots[slot].nodes.push_back(index);
}

int Graph::slotOf(Value value) const {
  auto it = slotOfValue.find(value);
  return it == slotOfValue.end() ? -1 : it->second;
}

void Graph::addSlots(Region &region) {
  auto add = [&](Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    slotOfValue[value] = values.size();
    parents.push_back(values.size());
    values.push_back(value);
  };
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments())
      add(argument);
    for (Operation &op : block) {
      for (Value result : op.getResults())
        add(result);
      if (!hasEdges(&op))
        continue;
      for (Region &inner : op.getRegions())
        addSlots(inner);
      unifyEdges(&op);
    }
  }
}

void Graph::unify(Value a, Value b) {
  auto root = [&](Value value) {
    int index = slotOfValue.lookup(value);
    while (parents[index] != index)
      index = parents[index];
    return index;
  };
  if (!slotOfValue.count(a) || !slotOfValue.count(b))
    return;
  int ra = root(a), rb = root(b);
  parents[std::max(ra, rb)] = std::min(ra, rb);
}

void Graph::unifyEdges(Operation *op) {
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (!loop)
    return;
  for (Region *region : {&loop.getCond(), &loop.getBody()})
    for (auto [result, argument] :
         llvm::zip(loop->getResults(), region->getArguments()))
      unify(result, argument);
}

void Graph::unifyGroups() {
  llvm::DenseMap<int64_t, Value> firstOfGroup;
  func.walk([&](sdy::ShardingGroupOp group) {
    auto [it, isNew] =
        firstOfGroup.try_emplace(group.getGroupId(), group.getInput());
    if (!isNew)
      unify(it->second, group.getInput());
  });
}

void Graph::load(int index, sdy::TensorShardingAttr sharding) {
  Slot &slot = slots[index];
  if (!sharding || slot.frozen || slot.state.hasSharding())
    return;
  if (std::optional<TensorState> state = meshes.read(sharding))
    slot.state = *state;
  else
    slot.frozen = true;
}

void Graph::loadStorage(int index, Attribute attr) {
  Slot &slot = slots[index];
  auto lists = dyn_cast_if_present<sdy::ListOfAxisRefListsAttr>(attr);
  if (!lists || !slot.state.hasSharding() ||
      lists.getValue().size() != slot.state.dims.size())
    return;
  for (sdy::AxisRefListAttr list : lists.getValue())
    slot.storage.push_back(
        meshes.readAxes(slot.state.mesh, list.getValue()).value_or(AxisList()));
}

void Graph::loadStates() {
  for (Value value : values)
    load(slotOfValue[value], sdy::getSharding(value));
  for (BlockArgument argument : func.getArguments())
    if (int slot = slotOf(argument); slot >= 0)
      loadStorage(slot,
                  func.getArgAttr(argument.getArgNumber(), kStorageAxesAttr));
}

void Graph::addNodes(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (hasEdges(&op)) {
        for (Region &inner : op.getRegions())
          addNodes(inner);
        addEdgeNodes(&op);
      } else if (op.getNumResults() > 0) {
        addOpNode(&op);
      }
    }
}

static OpClass classify(Operation *op) {
  if (op->hasTrait<stablehlo::Elementwise>() ||
      isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
          sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::DataFlowEdgeOp>(op))
    return OpClass::PassThrough;
  if (isa<stablehlo::BroadcastInDimOp>(op))
    return OpClass::Broadcast;
  if (isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return OpClass::DynamicSlice;
  return OpClass::Other;
}

static bool sharesOperands(ValueRange operands) {
  return llvm::any_of(operands, [](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && type.getRank() > 0 && !operand.hasOneUse();
  });
}

void Graph::addOpNode(Operation *op) {
  std::optional<ShardingRule> rule = getShardingRule(op);
  if (!rule || checkShardingRule(op, *rule))
    return;
  Node &node = nodes.emplace_back();
  node.op = op;
  node.rule = std::move(*rule);
  for (Value operand : op->getOperands()) {
    node.operands.push_back(slotOf(operand));
    node.sizes.push_back(numElements(operand));
  }
  for (Value result : op->getResults()) {
    node.results.push_back(slotOf(result));
    node.sizes.push_back(numElements(result));
  }
  node.opClass = classify(op);
  node.elementwise = op->hasTrait<stablehlo::Elementwise>();
  node.sharesOperands = sharesOperands(op->getOperands());
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(op)) {
    node.opClass = OpClass::Barrier;
    node.allowed = Direction(barrier.getAllowedDirection());
  }
}

void Graph::addEdge(Operation *op, llvm::ArrayRef<Value> sources,
                    Value target) {
  if (slotOf(target) < 0)
    return;
  Node &node = nodes.emplace_back();
  node.op = op;
  node.rule = identityRule(shapeOf(target), sources.size());
  for (Value source : sources) {
    node.operands.push_back(slotOf(source));
    node.sizes.push_back(numElements(source));
  }
  node.results.push_back(slotOf(target));
  node.sizes.push_back(numElements(target));
  node.opClass = OpClass::PassThrough;
}

void Graph::addEdgeNodes(Operation *op) {
  for (OpResult result : op->getResults()) {
    llvm::SmallVector<Value> sources;
    unsigned index = result.getResultNumber();
    auto addYielded = [&](Region &region) {
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(index));
    };
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      sources.push_back(op->getOperand(index));
      addYielded(loop.getBody());
    } else if (isa<stablehlo::OptimizationBarrierOp>(op)) {
      sources.push_back(op->getOperand(index));
    } else {
      for (Region &branch : op->getRegions())
        addYielded(branch);
    }
    addEdge(op, sources, result);
  }
}

void Graph::addResultNodes() {
  if (func.getBody().empty())
    return;
  Operation *terminator = func.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Node &node = resultNodes.emplace_back();
    Value value = operand.get();
    int source = slotOf(value);
    if (source < 0) {
      node.operands.push_back(-1);
      node.results.push_back(-1);
      continue;
    }
    int target = slots.size();
    slots.emplace_back();
    unsigned index = operand.getOperandNumber();
    load(target, sdy::getFuncResultSharding(func, index));
    loadStorage(target, func.getResultAttr(index, kStorageAxesAttr));
    node.rule = identityRule(shapeOf(value), 1);
    node.operands.push_back(source);
    node.results.push_back(target);
    node.sizes.assign(2, numElements(value));
  }
}

void Graph::write(bool priorities) const {
  MLIRContext *context = func->getContext();
  for (Value value : values) {
    const Slot &slot = slots[slotOf(value)];
    if (!slot.frozen && slot.state.hasSharding())
      sdy::setSharding(value, meshes.write(context, slot.state, priorities));
  }
  for (auto [index, node] : llvm::enumerate(resultNodes)) {
    if (node.results[0] < 0)
      continue;
    const Slot &slot = slots[node.results[0]];
    if (!slot.frozen && slot.state.hasSharding())
      sdy::setFuncResultSharding(func, index,
                                 meshes.write(context, slot.state, priorities));
  }
}

} // namespace partopt::shard
