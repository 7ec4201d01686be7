// See ProgramValues.h.

#include "partopt/Analysis/ProgramValues.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

bool partopt::isCheapOp(Operation *op,
                        const llvm::DenseSet<Operation *> &cheap) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp, sdy::ConstantOp>(op))
    return true;
  bool expands = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op);
  if (expands && isScalar(op->getOperand(0)))
    return true;
  if (!expands && !isa<stablehlo::SliceOp>(op) &&
      !op->hasTrait<stablehlo::Elementwise>())
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return cheap.contains(operand.getDefiningOp());
  });
}

/// Only changes how its operand is laid out.
static bool isLayoutOp(Operation *op) {
  return isa<sdy::ShardingConstraintOp, sdy::ReshardOp,
             sdy::PropagationBarrierOp>(op);
}

void partopt::keepProgramOrder(func::FuncOp func) {
  Builder builder(func.getContext());
  for (auto [place, value] : llvm::enumerate(programValues(func)))
    if (!value.getOwner()->hasAttr(kPlaceAttr))
      value.getOwner()->setAttr(kPlaceAttr,
                                builder.getI64IntegerAttr(int64_t(place)));
}

int64_t partopt::placeOf(Operation *op) {
  auto place = op->getAttrOfType<IntegerAttr>(kPlaceAttr);
  return place ? place.getInt() : -1;
}

llvm::SmallVector<OpResult> partopt::programValues(func::FuncOp func) {
  llvm::DenseSet<Operation *> cheap;
  llvm::SmallVector<OpResult> values;
  for (Operation &op : func.front().without_terminator()) {
    bool layoutOnly = isLayoutOp(&op);
    bool isCheap = layoutOnly ? cheap.contains(op.getOperand(0).getDefiningOp())
                              : isCheapOp(&op, cheap);
    if (isCheap)
      cheap.insert(&op);
    if (isCheap || op.hasAttr(kCopyAttr) ||
        isa<sdy::SdyDialect>(op.getDialect()))
      continue;
    for (OpResult result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !result.use_empty())
        values.push_back(result);
  }
  if (!values.empty() && placeOf(values.front().getOwner()) >= 0)
    llvm::sort(values, [](OpResult a, OpResult b) {
      return std::pair(placeOf(a.getOwner()), a.getResultNumber()) <
             std::pair(placeOf(b.getOwner()), b.getResultNumber());
    });
  return values;
}
