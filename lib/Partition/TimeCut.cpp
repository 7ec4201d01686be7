// See TimeCut.h.

#include "TimeCut.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"

using namespace mlir;
using namespace partopt;

/// Whether a device's rows are those of the iterations, one behind the other.
static bool isCutRightly(ArrayRef<AxisRef> axes, const AxisRef &ref,
                         TimeCut &cut) {
  if (ref.size != cut.axis.size)
    return false;
  if (!cut.isMajor)
    return ref == axes.back();
  // Rows of one iteration that other devices had would lie between them.
  std::vector<AxisRef> others(axes.begin() + 1, axes.end());
  if (cut.batchDim.empty())
    cut.rowAxes = others;
  return ref == axes.front() && others == cut.rowAxes;
}

/// The dimension that the axis cuts, -1 where it cuts none.
static FailureOr<int64_t> timeDim(const Layout &layout, unsigned axisNumber,
                                  TimeCut &cut, Location loc) {
  int64_t found = -1;
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    for (const AxisRef &ref : axes) {
      if (ref.axis != axisNumber)
        continue;
      if (!isCutRightly(axes, ref, cut))
        return emitError(loc)
               << "the rows of the microbatches do not lie one behind the "
                  "other here; return them in another shape, or leave out "
                  "--microbatches";
      found = dim;
    }
  return found;
}

static LogicalResult findCut(func::FuncOp func, const Mesh &mesh,
                             unsigned number, TimeCut &cut) {
  Block &block = func.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    FailureOr<int64_t> dim =
        timeDim(getValueLayout(argument, mesh), number, cut, argument.getLoc());
    if (failed(dim))
      return failure();
    if (*dim >= 0)
      cut.batchDim[argument] = *dim;
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    auto sharding = sdy::getFuncResultSharding(func, i);
    if (!sharding)
      continue;
    FailureOr<int64_t> dim =
        timeDim(toLayout(sharding, mesh, sharding.getRank()), number, cut,
                result.get().getLoc());
    if (failed(dim))
      return failure();
    // An argument that is returned holds all rows already.
    if (*dim >= 0 && !cut.batchDim.contains(result.get()))
      cut.resultDim[i] = *dim;
  }
  return success();
}

FailureOr<std::optional<TimeCut>> partopt::findTimeCut(func::FuncOp func,
                                                       const Mesh &mesh) {
  for (auto [i, axis] : llvm::enumerate(mesh.axes)) {
    if (!axis.isTime || axis.size == 1)
      continue;
    TimeCut cut;
    cut.axis = axis;
    if (auto groups =
            func->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
                kTimeGroupsAttr))
      cut.groups = std::max<int64_t>(groups.getInt(), 1);
    cut.isMajor = func->getParentOfType<ModuleOp>()->hasAttr(kTimeMajorAttr);
    if (failed(findCut(func, mesh, i, cut)))
      return failure();
    return std::optional<TimeCut>(std::move(cut));
  }
  return std::optional<TimeCut>();
}

LogicalResult
partopt::withTimeCut(func::FuncOp func,
                     llvm::function_ref<LogicalResult(TimeCut &)> run) {
  if (func.isExternal())
    return success();
  FailureOr<std::optional<TimeCut>> cut =
      findTimeCut(func, getModuleMesh(func->getParentOfType<ModuleOp>()));
  if (failed(cut))
    return failure();
  return *cut ? run(**cut) : success();
}
