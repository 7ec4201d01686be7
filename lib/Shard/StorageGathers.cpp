// See StorageGathers.h.

#include "lib/Shard/StorageGathers.h"

#include "lib/Shard/Propagation/AxisLists.h"
#include "partopt/Support/UnitAttributes.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::shard;

namespace {

/// The row of dimension 0 that the op takes of a stack; -1: another op.
int64_t rowTaken(Operation *op) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice)
    return -1;
  auto from = cast<RankedTensorType>(slice.getOperand().getType());
  auto to = cast<RankedTensorType>(slice.getType());
  bool isRow = to.getRank() > 1 && to.getDimSize(0) == 1 &&
               from.getShape().drop_front() == to.getShape().drop_front();
  return isRow ? slice.getStartIndices()[0] : -1;
}

Operation *earliest(ArrayRef<Operation *> ops) {
  return *llvm::min_element(
      ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// Gathers of one argument and of its rows.
class Gatherer {
public:
  Gatherer(BlockArgument argument, const TensorState &stored,
           const MeshTable &meshes, ArrayRef<AxisList> axes)
      : argument(argument), gathered(stored), meshes(meshes) {
    for (auto [dim, list] : llvm::zip(gathered.dims, axes)) {
      llvm::erase_if(dim.axes, [&, &drop = list](const AxisRef &axis) {
        return axesOverlap(axis, drop);
      });
      dim.closed = true;
      dim.priority = 0;
    }
  }

  void gatherWhole(ArrayRef<OpOperand *> uses) {
    SmallVector<Operation *> users;
    for (OpOperand *use : uses)
      users.push_back(
          argument.getOwner()->findAncestorOpInBlock(*use->getOwner()));
    Value copy = gatherBefore(earliest(users), argument);
    for (OpOperand *use : uses)
      use->set(copy);
  }

  void gatherRow(ArrayRef<Operation *> slices) {
    Operation *first = earliest(slices);
    Value copy = gatherBefore(first->getNextNode(), first->getResult(0));
    for (Operation *slice : slices)
      slice->getResult(0).replaceAllUsesExcept(copy, copy.getDefiningOp());
  }

private:
  Value gatherBefore(Operation *place, Value value) {
    MLIRContext *context = place->getContext();
    OpBuilder builder(place);
    auto copy = builder.create<sdy::ShardingConstraintOp>(
        FusedLoc::get(context, {argument.getLoc(), place->getLoc()}), value,
        meshes.write(context, gathered));
    copy->setAttr(kStorageGatherAttr, builder.getUnitAttr());
    return copy.getResult();
  }

  BlockArgument argument;
  TensorState gathered; ///< the layout of a copy
  const MeshTable &meshes;
};

} // namespace

void partopt::shard::gatherStorage(BlockArgument argument,
                                   const TensorState &stored,
                                   const MeshTable &meshes,
                                   ArrayRef<OpOperand *> uses,
                                   ArrayRef<AxisList> axes) {
  Gatherer gatherer(argument, stored, meshes, axes);
  bool byRow = !stored.dims.empty() && stored.dims[0].axes.empty();
  llvm::MapVector<int64_t, SmallVector<Operation *>> rows;
  SmallVector<OpOperand *> whole;
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    int64_t row =
        byRow && user->getBlock() == argument.getOwner() ? rowTaken(user) : -1;
    if (row >= 0)
      rows[row].push_back(user);
    else
      whole.push_back(use);
  }
  for (auto &[row, slices] : rows)
    gatherer.gatherRow(slices);
  if (!whole.empty())
    gatherer.gatherWhole(whole);
}
