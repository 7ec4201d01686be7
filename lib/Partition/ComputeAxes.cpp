// Parameters that are split to compute with, and what is made of each alone.

#include "ProgramPartition.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Support/StorageAttributes.h"

using namespace mlir;
using namespace partopt;

/// Axes of `layout` over which `override` says that it is computed with.
static AxisList computeAxes(Attribute override, const Layout &layout,
                            const Mesh &mesh) {
  AxisList axes;
  auto byAxis = dyn_cast_or_null<DictionaryAttr>(override);
  for (const AxisList &dim : layout.dims)
    for (const AxisRef &axis : dim) {
      Attribute word =
          byAxis ? byAxis.get(mesh.axes[axis.axis].name) : override;
      auto text = dyn_cast_or_null<StringAttr>(word);
      if (text && text.getValue() == kComputeOver)
        axes.push_back(axis);
    }
  return axes;
}

static bool passesOn(Operation *op) {
  return isa<sdy::ReshardOp, stablehlo::ReshapeOp, stablehlo::TransposeOp,
             stablehlo::ConvertOp, stablehlo::SliceOp,
             stablehlo::OptimizationBarrierOp>(op) &&
         op->getNumOperands() == 1;
}

void partopt::findComputeAxes(ProgramPartition &partition) {
  Block &body = partition.func.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    Attribute override = partition.func.getArgAttr(argument.getArgNumber(),
                                                   kStorageOverrideAttr);
    AxisList axes =
        computeAxes(override, partition.want(argument), partition.mesh);
    if (!axes.empty())
      partition.computeAxes[argument] = axes;
  }
  for (Operation &op : body)
    if (passesOn(&op))
      if (auto known = partition.computeAxes.find(op.getOperand(0));
          known != partition.computeAxes.end()) {
        AxisList axes = known->second;
        partition.computeAxes[op.getResult(0)] = std::move(axes);
      }
}
