// See RowNumbers.h.

#include "RowNumbers.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"

using namespace mlir;
using namespace partopt;

/// Where rows are numbered by iteration first, a device's index among them is
/// that of its rows in the batch: by device first.
comm::AxesAttr partopt::numberedAxes(comm::AxesAttr axes, const TimeCut &cut) {
  if (!cut.isMajor)
    return axes;
  auto moved = [](auto list) {
    SmallVector<std::decay_t<decltype(list.front())>> copy(list);
    std::rotate(copy.begin(), copy.begin() + 1, copy.end());
    return copy;
  };
  return comm::AxesAttr::get(axes.getContext(), moved(axes.getNames()),
                             moved(axes.getPreSizes()), moved(axes.getSizes()));
}

static bool overTime(comm::AxesAttr axes, const TimeCut &cut) {
  return llvm::any_of(axes.getNames(), [&](StringAttr name) {
    return name.getValue() == cut.axis.name;
  });
}

/// Where rows are numbered by iteration first, only all axes of the rows
/// together say which rows of the batch a device has.
LogicalResult partopt::checkRowNumbers(func::FuncOp func, const TimeCut &cut) {
  Mesh mesh = getModuleMesh(func->getParentOfType<ModuleOp>());
  auto isWhole = [&](comm::AxesAttr axes) {
    if (axes.getNames().size() != cut.rowAxes.size() + 1 ||
        axes.getNames().front().getValue() != cut.axis.name ||
        axes.getSizes().front() != cut.axis.size)
      return false;
    for (auto [i, ref] : llvm::enumerate(cut.rowAxes))
      if (axes.getNames()[i + 1].getValue() != mesh.axes[ref.axis].name ||
          axes.getPreSizes()[i + 1] != ref.preSize ||
          axes.getSizes()[i + 1] != ref.size)
        return false;
    return true;
  };
  for (auto op : func.getBody().front().getOps<comm::AxisIndexOp>())
    if (cut.isMajor && overTime(op.getAxes(), cut) && !isWhole(op.getAxes()))
      return emitError(op.getLoc())
             << "needs the numbers of the batch's rows where experts have "
                "exchanged them, and a microbatch's rows do not lie one behind "
                "the other there; leave out --microbatches or the strategy's "
                "ep";
  return success();
}

/// In the plan a device holds its rows of all iterations one behind the other.
void partopt::finishRowLayouts(func::FuncOp func, const TimeCut &cut) {
  if (!cut.isMajor)
    return;
  auto finish = [&](sdy::TensorShardingAttr sharding) {
    SmallVector<sdy::DimensionShardingAttr> dims;
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
      SmallVector<sdy::AxisRefAttr> axes(dim.getAxes());
      auto found = llvm::find_if(axes, [&](sdy::AxisRefAttr axis) {
        return axis.getName() == cut.axis.name;
      });
      if (found != axes.end())
        std::rotate(found, found + 1, axes.end());
      dims.push_back(sdy::DimensionShardingAttr::get(
          func.getContext(), axes, dim.getIsClosed(), dim.getPriority()));
    }
    return sdy::TensorShardingAttr::get(
        func.getContext(), sharding.getMeshOrRef(), dims,
        sharding.getReplicatedAxes(), sharding.getUnreducedAxes(),
        sharding.getReductionKind());
  };
  for (BlockArgument argument : func.getArguments())
    if (auto sharding = sdy::getSharding(argument))
      sdy::setSharding(argument, finish(sharding));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (auto sharding = sdy::getFuncResultSharding(func, i))
      sdy::setFuncResultSharding(func, i, finish(sharding));
}
