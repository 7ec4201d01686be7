// See KeptValues.h.

#include "KeptValues.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

/// Ops whose work is that of writing their result once.
static bool isLight(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::OptimizationBarrierOp, stablehlo::TransposeOp,
             stablehlo::SliceOp, stablehlo::ConvertOp, stablehlo::IotaOp,
             stablehlo::ConstantOp, stablehlo::CompareOp, stablehlo::SelectOp,
             stablehlo::PadOp, stablehlo::ConcatenateOp,
             stablehlo::DynamicSliceOp, comm::AxisIndexOp>(op);
}

KeptValues::KeptValues(Block &block, const TimeDependence &depends)
    : depends(depends) {
  for (int64_t number = 1; number < depends.numLoops(); ++number) {
    atHand.clear();
    for (Operation &op : block.without_terminator())
      if (depends.isInLoop(&op) && depends.placeOf(&op) == number)
        for (Value operand : op.getOperands())
          need(operand, number);
  }
}

int64_t KeptValues::loopOf(Value value) const {
  Operation *def = value.getDefiningOp();
  return def && depends.isInLoop(def) && !depends.isReduction(def)
             ? depends.placeOf(def)
             : -1;
}

/// True when loop `number` can make `value` with light ops.
bool KeptValues::isAtHand(Value value, int64_t number) {
  int64_t loop = loopOf(value);
  if (loop < 0 || loop == number || kept.contains(value))
    return true;
  auto [entry, isNew] = atHand.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  Operation *def = value.getDefiningOp();
  bool cheap = (isLight(def) || depends.isRepeated(def)) &&
               llvm::all_of(def->getOperands(), [&](Value operand) {
                 return isAtHand(operand, number);
               });
  return atHand[value] = cheap;
}

void KeptValues::need(Value value, int64_t number) {
  if (isAtHand(value, number))
    return;
  kept.insert(value);
  atHand[value] = true;
}

KeptValues::Needs KeptValues::neededBy(int64_t number,
                                       ArrayRef<Operation *> ops) const {
  Needs needs;
  auto look = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      int64_t loop = loopOf(operand);
      if (loop < 0 || loop >= number)
        continue;
      if (kept.contains(operand))
        needs.read.insert(operand);
      else
        needs.again.insert(operand.getDefiningOp());
    }
  };
  llvm::for_each(ops, look);
  for (size_t i = 0; i < needs.again.size(); ++i)
    look(needs.again[i]);
  return needs;
}
