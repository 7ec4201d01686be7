// Where each kind of value keeps its sharding: function arguments and results
// in the function's argument and result attributes, op results in one list per
// op, sdy ops in their own attribute.

#include "dialects/Sdy/ShardingQueries.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

int64_t rankOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getRank() : 0;
}

// The sharding that an sdy op states about its own result.
TensorShardingAttr ownSharding(OpResult result) {
  Operation *op = result.getOwner();
  if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
    return constraint.getSharding();
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return reshard.getSharding();
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op))
    return edge.getShardingAttr();
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return collective.getOutSharding();
  TensorShardingPerValueAttr perValue;
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    perValue = manual.getOutShardings();
  else if (auto named = dyn_cast<NamedComputationOp>(op))
    perValue = named.getOutShardingsAttr();
  if (perValue && result.getResultNumber() < perValue.size())
    return perValue.getSharding(result.getResultNumber());
  return {};
}

// Writes into an sdy op's own attribute; false if the op has none.
bool setOwnSharding(OpResult result, TensorShardingAttr sharding) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    if (sharding)
      edge.setShardingAttr(sharding);
    else
      edge.removeShardingAttr();
    return true;
  }
  if (!sharding)
    return false;
  if (auto constraint = dyn_cast<ShardingConstraintOp>(op))
    constraint.setShardingAttr(sharding);
  else if (auto reshard = dyn_cast<ReshardOp>(op))
    reshard.setShardingAttr(sharding);
  else if (isa<CollectiveOpInterface>(op))
    op->setAttr("out_sharding", sharding);
  else if (auto manual = dyn_cast<ManualComputationOp>(op))
    manual.setOutShardingsAttr(
        manual.getOutShardings().replaceValueSharding(index, sharding));
  else
    return false;
  return true;
}

} // namespace

TensorShardingAttr getSharding(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
    if (!func || !arg.getOwner()->isEntryBlock())
      return {};
    return func.getArgAttrOfType<TensorShardingAttr>(arg.getArgNumber(),
                                                     kShardingAttr);
  }
  auto result = cast<OpResult>(value);
  if (TensorShardingAttr own = ownSharding(result))
    return own;
  auto perValue = result.getOwner()->getAttrOfType<TensorShardingPerValueAttr>(
      kShardingAttr);
  if (!perValue || result.getResultNumber() >= perValue.size())
    return {};
  return perValue.getSharding(result.getResultNumber());
}

void setSharding(Value value, TensorShardingAttr sharding) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
    if (!func || !arg.getOwner()->isEntryBlock())
      return;
    if (sharding)
      func.setArgAttr(arg.getArgNumber(), kShardingAttr, sharding);
    else
      func.removeArgAttr(arg.getArgNumber(),
                         StringAttr::get(func.getContext(), kShardingAttr));
    return;
  }
  auto result = cast<OpResult>(value);
  if (setOwnSharding(result, sharding))
    return;
  Operation *op = result.getOwner();
  auto old = op->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttr);
  if (!sharding) {
    if (op->getNumResults() == 1 || !old) {
      op->removeAttr(kShardingAttr);
      return;
    }
    sharding = fullyOpen(
        value, old.getSharding(result.getResultNumber()).getMeshOrRef());
  }
  SmallVector<TensorShardingAttr> all;
  for (OpResult other : op->getResults()) {
    bool had = old && other.getResultNumber() < old.size();
    all.push_back(had ? old.getSharding(other.getResultNumber())
                      : fullyOpen(other, sharding.getMeshOrRef()));
  }
  all[result.getResultNumber()] = sharding;
  op->setAttr(kShardingAttr,
              TensorShardingPerValueAttr::get(op->getContext(), all));
}

TensorShardingAttr getFuncResultSharding(Operation *func, unsigned index) {
  return cast<FunctionOpInterface>(func)
      .getResultAttrOfType<TensorShardingAttr>(index, kShardingAttr);
}

void setFuncResultSharding(Operation *func, unsigned index,
                           TensorShardingAttr sharding) {
  auto iface = cast<FunctionOpInterface>(func);
  if (sharding)
    iface.setResultAttr(
        index, StringAttr::get(func->getContext(), kShardingAttr), sharding);
  else
    iface.removeResultAttr(index,
                           StringAttr::get(func->getContext(), kShardingAttr));
}

MeshAttr getMesh(Operation *op, TensorShardingAttr sharding) {
  return sharding ? sharding.getMesh(op) : MeshAttr();
}

MeshOp getMainMesh(ModuleOp module) {
  for (MeshOp mesh : module.getOps<MeshOp>())
    if (!mesh.getMesh().getAxes().empty())
      return mesh;
  return {};
}

TensorShardingAttr fullyClosed(Value value, Attribute meshOrRef) {
  return TensorShardingAttr::getFullyClosed(value.getContext(),
                                            rankOf(value.getType()), meshOrRef);
}

TensorShardingAttr fullyOpen(Value value, Attribute meshOrRef) {
  return TensorShardingAttr::getFullyOpen(value.getContext(),
                                          rankOf(value.getType()), meshOrRef);
}

RankedTensorType localType(RankedTensorType type, TensorShardingAttr sharding,
                           MeshAttr mesh) {
  if (!sharding || sharding.getRank() != type.getRank())
    return type;
  SmallVector<int64_t> shape;
  for (auto [size, dim] :
       llvm::zip_equal(type.getShape(), sharding.getDimShardings()))
    shape.push_back(ShapedType::isDynamic(size)
                        ? size
                        : llvm::divideCeil(size, dim.getShardedSize(mesh)));
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

void addAxisOrMerge(SmallVectorImpl<AxisRefAttr> &axes, AxisRefAttr axis,
                    MeshAttr mesh) {
  if (!axes.empty() && axes.back().canMerge(axis))
    axes.back() = axes.back().merge(axis, mesh);
  else
    axes.push_back(axis);
}

std::string shardingText(TensorShardingAttr sharding) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto axes = [&](ArrayRef<AxisRefAttr> list) {
    stream << "{";
    llvm::interleaveComma(list, stream,
                          [&](AxisRefAttr axis) { stream << axis.toString(); });
    stream << "}";
  };
  stream << "[";
  llvm::interleaveComma(
      sharding.getDimShardings(), stream,
      [&](DimensionShardingAttr dim) { axes(dim.getAxes()); });
  stream << "]";
  if (!sharding.getUnreducedAxes().empty()) {
    stream << ", unreduced=";
    axes(sharding.getUnreducedAxes());
  }
  return text;
}

} // namespace partopt::sdy
