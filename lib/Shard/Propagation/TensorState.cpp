// Shardings as numbers and back.

#include "lib/Shard/Propagation/TensorState.h"

using namespace mlir;

namespace partopt::shard {

MeshTable::MeshTable(ModuleOp module) {
  for (auto op : module.getOps<sdy::MeshOp>()) {
    sdy::MeshAttr attr = op.getMesh();
    if (attr.getAxes().empty())
      continue;
    Mesh mesh;
    for (sdy::MeshAxisAttr axis : attr.getAxes())
      mesh.axes.push_back({axis.getName().str(), axis.getSize(), false});
    auto name = FlatSymbolRefAttr::get(op.getSymNameAttr());
    indices[name] = meshes.size();
    meshes.push_back(std::move(mesh));
    names.push_back(name);
  }
}

std::optional<AxisRef> MeshTable::readAxis(int mesh,
                                           sdy::AxisRefAttr axis) const {
  std::optional<unsigned> index = meshes[mesh].find(axis.getName());
  if (!index)
    return std::nullopt;
  AxisRef ref;
  ref.axis = *index;
  ref.size = meshes[mesh].axes[*index].size;
  if (sdy::SubAxisInfoAttr sub = axis.getSubAxisInfo()) {
    ref.preSize = sub.getPreSize();
    ref.size = sub.getSize();
  }
  return ref;
}

std::optional<AxisList>
MeshTable::readAxes(int mesh, llvm::ArrayRef<sdy::AxisRefAttr> axes) const {
  AxisList list;
  for (sdy::AxisRefAttr axis : axes) {
    std::optional<AxisRef> ref = readAxis(mesh, axis);
    if (!ref)
      return std::nullopt;
    if (ref->size > 1)
      list.push_back(*ref);
  }
  return list;
}

std::optional<TensorState>
MeshTable::read(sdy::TensorShardingAttr sharding) const {
  auto it = indices.find(sharding.getMeshOrRef());
  if (it == indices.end())
    return std::nullopt;
  TensorState state;
  state.mesh = it->second;
  for (sdy::DimensionShardingAttr attr : sharding.getDimShardings()) {
    std::optional<AxisList> axes = readAxes(state.mesh, attr.getAxes());
    if (!axes)
      return std::nullopt;
    state.dims.push_back(
        {*axes, attr.getIsClosed(), attr.getPriorityOrDefault()});
  }
  auto replicated = readAxes(state.mesh, sharding.getReplicatedAxes());
  auto unreduced = readAxes(state.mesh, sharding.getUnreducedAxes());
  if (!replicated || !unreduced)
    return std::nullopt;
  state.replicated = *replicated;
  state.unreduced = *unreduced;
  state.kind = sharding.getReductionKind();
  return state;
}

sdy::AxisRefAttr MeshTable::writeAxis(MLIRContext *context, int mesh,
                                      const AxisRef &axis) const {
  const MeshAxis &whole = meshes[mesh].axes[axis.axis];
  if (axis.size == whole.size)
    return sdy::AxisRefAttr::get(context, whole.name);
  return sdy::AxisRefAttr::get(context, whole.name, axis.preSize, axis.size);
}

sdy::TensorShardingAttr MeshTable::write(MLIRContext *context,
                                         const TensorState &state,
                                         bool priorities) const {
  auto list = [&](llvm::ArrayRef<AxisRef> axes) {
    llvm::SmallVector<sdy::AxisRefAttr> attrs;
    for (const AxisRef &axis : axes)
      attrs.push_back(writeAxis(context, state.mesh, axis));
    return attrs;
  };
  llvm::SmallVector<sdy::DimensionShardingAttr> dims;
  for (const DimState &dim : state.dims) {
    std::optional<int64_t> priority;
    if (priorities && dim.priority > 0)
      priority = dim.priority;
    dims.push_back(sdy::DimensionShardingAttr::get(context, list(dim.axes),
                                                   dim.closed, priority));
  }
  return sdy::TensorShardingAttr::get(context, names[state.mesh], dims,
                                      list(state.replicated),
                                      list(state.unreduced), state.kind);
}

} // namespace partopt::shard
