// Axes in time: their own propagation, after that of the axes in space.

#include "lib/Shard/Propagation/Propagator.h"
#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Support/NextValues.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_PROPAGATETIME
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The module's mesh, or the one without axes of a program for one device.
sdy::MeshOp meshOf(ModuleOp module) {
  if (sdy::MeshOp mesh = sdy::getMainMesh(module))
    return mesh;
  return module.lookupSymbol<sdy::MeshOp>("mesh");
}

/// Appends the axes to the mesh. Where every device stands is kept aside, since
/// a mesh with axes in time has more places than devices.
void extendMesh(sdy::MeshOp op, DictionaryAttr time) {
  MLIRContext *context = op.getContext();
  SmallVector<sdy::MeshAxisAttr> axes(op.getMesh().getAxes());
  for (NamedAttribute axis : time)
    axes.push_back(
        sdy::MeshAxisAttr::get(context, axis.getName().getValue(),
                               cast<IntegerAttr>(axis.getValue()).getInt()));
  ArrayRef<int64_t> ids = op.getMesh().getDeviceIds();
  if (!ids.empty())
    op->setAttr(kDeviceIdsAttr, DenseI64ArrayAttr::get(context, ids));
  op.setMeshAttr(sdy::MeshAttr::get(context, axes));
}

class TimePropagation {
public:
  TimePropagation(func::FuncOp func, const shard::MeshTable &meshes,
                  ArrayRef<unsigned> axes)
      : func(func), graph(func, meshes), axes(axes) {}

  void run(const Mesh &mesh, bool isMajor) {
    for (shard::Slot &slot : graph.slots)
      for (shard::DimState &dim : slot.state.dims)
        dim.closed = false;
    SpaceAxes space;
    if (isMajor)
      space = takeSpaceAxes();
    for (BlockArgument argument : func.getArguments())
      start(argument, mesh);
    bindResults();
    shard::PropagationOptions options{true, true, false, {}};
    options.onlyAxes.assign(axes.begin(), axes.end());
    shard::Propagator(graph, options).run();
    if (isMajor)
      giveBack(space);
    graph.write();
  }

private:
  func::FuncOp func;
  shard::Graph graph;
  ArrayRef<unsigned> axes;

  using SpaceAxes = SmallVector<SmallVector<AxisList, 0>, 0>;

  /// Takes the axes in space away, by slot and dimension. An axis that is to be
  /// major to them goes where the rows go, whatever was moved away from beside
  /// it.
  SpaceAxes takeSpaceAxes() {
    SpaceAxes taken;
    for (shard::Slot &slot : graph.slots) {
      taken.emplace_back();
      for (shard::DimState &dim : slot.state.dims) {
        taken.back().emplace_back();
        if (!slot.frozen)
          std::swap(dim.axes, taken.back().back());
      }
    }
    return taken;
  }

  /// Puts them back behind the axes in time.
  void giveBack(const SpaceAxes &taken) {
    for (auto [slot, dims] : llvm::zip_equal(graph.slots, taken))
      for (auto [dim, axes] : llvm::zip(slot.state.dims, dims))
        llvm::append_range(dim.axes, axes);
  }

  static void close(shard::Slot &slot, int64_t rank) {
    if (slot.frozen)
      return;
    slot.state.mesh = 0;
    slot.state.dims.resize(rank);
    for (shard::DimState &dim : slot.state.dims)
      dim.closed = true;
  }

  static int64_t rankOf(Type type) {
    return cast<RankedTensorType>(type).getRank();
  }

  void start(BlockArgument argument, const Mesh &mesh) {
    int index = graph.slotOf(argument);
    if (index < 0)
      return;
    shard::Slot &slot = graph.slots[index];
    auto dim = func.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                  kTimeDimAttr);
    int64_t rank = rankOf(argument.getType());
    close(slot, rank);
    if (!dim || dim.getInt() < 0 || dim.getInt() >= rank || slot.frozen)
      return;
    for (unsigned axis : axes)
      slot.state.dims[dim.getInt()].axes.push_back(
          {axis, 1, mesh.axes[axis].size});
  }

  /// The next values of arguments look like these.
  void bindResults() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      std::optional<unsigned> next = nextResultOf(func, i);
      if (!next || func.getArgAttr(i, kTimeDimAttr))
        continue;
      int slot = graph.resultNodes[*next].results[0];
      if (slot >= 0)
        close(graph.slots[slot], rankOf(func.getArgumentTypes()[i]));
    }
  }
};

struct PropagateTimePass : partopt::impl::PropagateTimeBase<PropagateTimePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto time = module->getAttrOfType<DictionaryAttr>(kTimeAxesAttr);
    sdy::MeshOp meshOp = meshOf(module);
    if (!time || time.empty() || !meshOp)
      return;
    if (failed(check(meshOp, time)))
      return signalPassFailure();
    extendMesh(meshOp, time);
    Mesh mesh = getModuleMesh(module);
    SmallVector<unsigned> axes;
    for (auto [i, axis] : llvm::enumerate(mesh.axes))
      if (axis.isTime && axis.size > 1)
        axes.push_back(i);
    if (axes.empty())
      return;
    shard::MeshTable meshes(module);
    for (auto func : module.getOps<func::FuncOp>())
      TimePropagation(func, meshes, axes)
          .run(mesh, module->hasAttr(kTimeMajorAttr));
  }

  static LogicalResult check(sdy::MeshOp mesh, DictionaryAttr time) {
    if (time.size() > 1)
      return mesh.emitError() << kTimeAxesAttr << " has " << time.size()
                              << " axes; this version has loops over one";
    for (NamedAttribute axis : time) {
      auto size = dyn_cast<IntegerAttr>(axis.getValue());
      if (!size || size.getInt() < 1)
        return mesh.emitError()
               << kTimeAxesAttr << ": axis " << axis.getName()
               << " needs a number of iterations, not " << axis.getValue();
      if (mesh.getMesh().hasAxis(axis.getName()))
        return mesh.emitError() << kTimeAxesAttr << ": axis " << axis.getName()
                                << " is an axis of the mesh already";
    }
    return success();
  }
};

} // namespace
