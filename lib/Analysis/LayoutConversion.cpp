// Layouts from sdy text and back, and as the axes of comm ops.

#include "partopt/Analysis/LayoutConversion.h"

#include "dialects/Sdy/ShardingQueries.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace partopt;

namespace {

constexpr StringLiteral kUnreduced = "partopt.unreduced";

AxisRef toAxisRef(sdy::AxisRefAttr axis, const Mesh &mesh) {
  AxisRef ref;
  ref.axis = *mesh.find(axis.getName());
  ref.size = mesh.axes[ref.axis].size;
  if (sdy::SubAxisInfoAttr sub = axis.getSubAxisInfo()) {
    ref.preSize = sub.getPreSize();
    ref.size = sub.getSize();
  }
  return ref;
}

sdy::AxisRefAttr fromAxisRef(MLIRContext *context, const AxisRef &ref,
                             const Mesh &mesh) {
  const MeshAxis &axis = mesh.axes[ref.axis];
  if (ref.size == axis.size)
    return sdy::AxisRefAttr::get(context, axis.name);
  return sdy::AxisRefAttr::get(context, axis.name, ref.preSize, ref.size);
}

Combiner toCombiner(sdy::ReductionKind kind) {
  switch (kind) {
  case sdy::ReductionKind::SUM:
    return Combiner::Sum;
  case sdy::ReductionKind::MAX:
    return Combiner::Max;
  case sdy::ReductionKind::MIN:
    return Combiner::Min;
  }
  return Combiner::Sum;
}

/// The one combiner that sdy's text can name for `layout`, if any.
std::optional<sdy::ReductionKind> sdyKind(const Layout &layout) {
  if (layout.unreduced.empty())
    return sdy::ReductionKind::SUM;
  Combiner combiner = layout.unreduced.front().combiner;
  if (llvm::any_of(layout.unreduced, [&](const UnreducedAxis &u) {
        return u.combiner != combiner;
      }))
    return std::nullopt;
  switch (combiner) {
  case Combiner::Sum:
    return sdy::ReductionKind::SUM;
  case Combiner::Max:
    return sdy::ReductionKind::MAX;
  case Combiner::Min:
    return sdy::ReductionKind::MIN;
  default:
    return std::nullopt;
  }
}

/// One result's unreduced axes in the form sdy has no text for:
/// [{axis = #sdy.axis_ref<..>, combiner = "and"}, ...].
ArrayAttr toUnreducedAttr(MLIRContext *context, const Layout &layout,
                          const Mesh &mesh) {
  Builder b(context);
  SmallVector<Attribute> entries;
  for (const UnreducedAxis &u : layout.unreduced)
    entries.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("axis", fromAxisRef(context, u.axis, mesh)),
         b.getNamedAttr("combiner",
                        b.getStringAttr(stringifyCombiner(u.combiner)))}));
  return b.getArrayAttr(entries);
}

void addUnreduced(Layout &layout, Attribute attr, const Mesh &mesh) {
  auto entries = dyn_cast_or_null<ArrayAttr>(attr);
  if (!entries)
    return;
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    auto axis = entry.getAs<sdy::AxisRefAttr>("axis");
    auto name = entry.getAs<StringAttr>("combiner");
    std::optional<Combiner> combiner =
        name ? symbolizeCombiner(name.getValue()) : std::nullopt;
    if (axis && combiner)
      layout.unreduced.push_back({toAxisRef(axis, mesh), *combiner});
  }
}

} // namespace

Mesh partopt::getModuleMesh(ModuleOp module) {
  Mesh mesh;
  auto time = module->getAttrOfType<DictionaryAttr>(kTimeAxesAttr);
  if (sdy::MeshOp op = sdy::getMainMesh(module))
    for (sdy::MeshAxisAttr axis : op.getMesh().getAxes())
      mesh.axes.push_back({axis.getName().str(), axis.getSize(),
                           time && time.contains(axis.getName())});
  return mesh;
}

StringRef partopt::getModuleMeshName(ModuleOp module) {
  if (sdy::MeshOp op = sdy::getMainMesh(module))
    return op.getSymName();
  return "mesh";
}

Layout partopt::toLayout(sdy::TensorShardingAttr sharding, const Mesh &mesh,
                         int64_t rank) {
  Layout layout = Layout::replicated(rank);
  if (!sharding)
    return layout;
  for (auto [dim, attr] : llvm::enumerate(sharding.getDimShardings()))
    for (sdy::AxisRefAttr axis : attr.getAxes())
      if (AxisRef ref = toAxisRef(axis, mesh); ref.size > 1)
        layout.dims[dim].push_back(ref);
  for (sdy::AxisRefAttr axis : sharding.getUnreducedAxes())
    if (AxisRef ref = toAxisRef(axis, mesh); ref.size > 1)
      layout.unreduced.push_back(
          {ref, toCombiner(sharding.getReductionKind())});
  layout.normalise();
  return layout;
}

sdy::TensorShardingAttr partopt::toSharding(MLIRContext *context,
                                            const Layout &layout,
                                            const Mesh &mesh,
                                            StringRef meshName) {
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (const AxisList &axes : layout.dims) {
    SmallVector<sdy::AxisRefAttr> refs;
    for (const AxisRef &axis : axes)
      refs.push_back(fromAxisRef(context, axis, mesh));
    dims.push_back(
        sdy::DimensionShardingAttr::get(context, refs, /*isClosed=*/true));
  }
  auto sharding = sdy::TensorShardingAttr::get(context, meshName, dims);
  std::optional<sdy::ReductionKind> kind = sdyKind(layout);
  if (!kind || layout.unreduced.empty())
    return sharding;
  SmallVector<sdy::AxisRefAttr> unreduced;
  for (const UnreducedAxis &u : layout.unreduced)
    unreduced.push_back(fromAxisRef(context, u.axis, mesh));
  return sharding.replaceUnreducedAxes(unreduced, *kind);
}

Layout partopt::getValueLayout(Value value, const Mesh &mesh) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Layout layout =
      toLayout(sdy::getSharding(value), mesh, type ? type.getRank() : 0);
  if (Operation *op = value.getDefiningOp())
    if (auto all = op->getAttrOfType<ArrayAttr>(kUnreduced)) {
      addUnreduced(layout, all[cast<OpResult>(value).getResultNumber()], mesh);
      layout.normalise();
    }
  return layout;
}

void partopt::setValueLayout(Value value, const Layout &layout,
                             const Mesh &mesh, StringRef meshName) {
  MLIRContext *context = value.getContext();
  sdy::setSharding(value, toSharding(context, layout, mesh, meshName));
  Operation *op = value.getDefiningOp();
  if (!op || sdyKind(layout))
    return;
  SmallVector<Attribute> all(op->getNumResults(), ArrayAttr::get(context, {}));
  if (auto old = op->getAttrOfType<ArrayAttr>(kUnreduced))
    all.assign(old.begin(), old.end());
  all[cast<OpResult>(value).getResultNumber()] =
      toUnreducedAttr(context, layout, mesh);
  op->setAttr(kUnreduced, ArrayAttr::get(context, all));
}

comm::AxesAttr partopt::toCommAxes(MLIRContext *context, const Mesh &mesh,
                                   ArrayRef<AxisRef> axes) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> preSizes, sizes;
  for (const AxisRef &axis : axes) {
    names.push_back(StringAttr::get(context, mesh.axes[axis.axis].name));
    preSizes.push_back(axis.preSize);
    sizes.push_back(axis.size);
  }
  return comm::AxesAttr::get(context, names, preSizes, sizes);
}

comm::CombinerKind partopt::toCommCombiner(Combiner combiner) {
  return static_cast<comm::CombinerKind>(combiner);
}
