// See BackwardSlice.h.

#include "BackwardSlice.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

static bool isNamed(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}

BackwardSlice::BackwardSlice(ArrayRef<Value> from, bool differentiable,
                             Operation *first)
    : differentiable(differentiable), first(first) {
  for (Value value : from)
    push(value);
}

void BackwardSlice::run(Block &entry, llvm::BitVector &args) {
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (stops.contains(value))
      continue;
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() == &entry)
        args.set(arg.getArgNumber());
      else
        followArgument(arg);
      continue;
    }
    followResult(cast<OpResult>(value));
  }
}

void BackwardSlice::push(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (differentiable && type && !isa<FloatType>(type.getElementType()) &&
      !isa<ComplexType>(type.getElementType()))
    return;
  Operation *def = value.getDefiningOp();
  if (first && def && def->getBlock() == first->getBlock() &&
      def->isBeforeInBlock(first))
    return;
  if (seen.insert(value).second)
    work.push_back(value);
}

void BackwardSlice::pushTerminator(Region &region,
                                   std::optional<unsigned> index) {
  if (region.empty() || region.front().empty())
    return;
  Operation *terminator = &region.front().back();
  for (OpOperand &operand : terminator->getOpOperands())
    if (!index || operand.getOperandNumber() == *index)
      push(operand.get());
}

/// A value carried around a loop: its start, and what the body makes of it.
void BackwardSlice::followLoop(Operation *loop, unsigned index) {
  if (index < loop->getNumOperands())
    push(loop->getOperand(index));
  pushTerminator(loop->getRegion(0), std::nullopt);
  pushTerminator(loop->getRegion(1), index);
}

void BackwardSlice::followArgument(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (isNamed(parent, "stablehlo.while"))
    followLoop(parent, arg.getArgNumber());
}

void BackwardSlice::followResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (isNamed(op, "stablehlo.while"))
    return followLoop(op, index);
  if (isNamed(op, "stablehlo.optimization_barrier"))
    return push(op->getOperand(index));
  llvm::for_each(op->getOperands(), [&](Value v) { push(v); });
  bool isBranch = isNamed(op, "stablehlo.case") || isNamed(op, "stablehlo.if");
  for (Region &region : op->getRegions()) {
    if (isBranch)
      pushTerminator(region, index);
    else
      region.walk([&](Operation *inner) {
        llvm::for_each(inner->getOperands(), [&](Value v) { push(v); });
      });
  }
}
