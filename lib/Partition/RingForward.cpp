// The softmax's running maximum and sums: what one block of keys changes.

#include "RingLoop.h"

#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value RingLoop::accumulate(Value sum, Value part) {
  if (part.getType() != sum.getType())
    part = b.create<stablehlo::ConvertOp>(loc, sum.getType(), part);
  return b.create<stablehlo::AddOp>(loc, sum.getType(), sum, part);
}
//-----------------------------------------------------------===//

/// A linear value of the exponentials without its factors by query.
Value RingLoop::linear(Value value, Value exponential, BlockClones &clones) {
  OpOperand *from = core.linearOperand(value);
  if (!from)
    return exponential;
  Value operand = linear(from->get(), exponential, clones);
  Operation *op = from->getOwner();
  if (isa<stablehlo::MulOp, stablehlo::DivOp>(op))
    return operand;
  Operation *made = b.clone(*op);
  made->setOperand(0, operand);
  made->getResult(0).setType(clones.typeIn(value));
  return made->getResult(0);
}

/// A number per query over the dimensions of an output's type.
Value RingLoop::spread(Value row, RankedTensorType type,
                       const RingCore::Linear &output) {
  SmallVector<int64_t> dims;
  for (int64_t dim : core.dimsIn(output))
    if (dim >= 0)
      dims.push_back(dim);
  RankedTensorType from = typeOf(row).clone(type.getElementType());
  if (from != row.getType())
    row = b.create<stablehlo::ConvertOp>(loc, from, row);
  return b.create<stablehlo::BroadcastInDimOp>(loc, type, row,
                                               b.getDenseI64ArrayAttr(dims));
}

void RingLoop::forwardTile(SmallVector<Value> &rows, BlockClones &clones) {
  Value scores = clones.get(core.scores);
  Value here = clones.clone(core.max), before = rows[0];
  RankedTensorType type = typeOf(before);
  Value max = b.create<stablehlo::MaxOp>(loc, type, before, here);
  // No key so far: any finite number will do, and exponentials are 0.
  Value none = splatOf(b, loc, type,
                       combinerIdentity(type.getElementType(), Combiner::Max));
  Value isNone = b.create<stablehlo::CompareOp>(
      loc, max, none, stablehlo::ComparisonDirection::EQ,
      stablehlo::ComparisonType::FLOAT);
  Value zero = splatOf(b, loc, type, b.getZeroAttr(type.getElementType()));
  Value base = b.create<stablehlo::SelectOp>(loc, isNone, zero, max);
  Value shift = b.create<stablehlo::SubtractOp>(loc, type, before, base);
  Value scale = b.create<stablehlo::ExpOp>(loc, type, shift);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < typeOf(scores).getRank(); ++dim)
    if (dim != core.keyDim.find(core.scores)->second)
      dims.push_back(dim);
  Value spreadBase = b.create<stablehlo::BroadcastInDimOp>(
      loc, scores.getType(), base, b.getDenseI64ArrayAttr(dims));
  Value difference = b.create<stablehlo::SubtractOp>(loc, scores.getType(),
                                                     scores, spreadBase);
  Value exponential =
      b.create<stablehlo::ExpOp>(loc, scores.getType(), difference);
  rows[0] = max;
  for (auto [i, output] : llvm::enumerate(core.outputs)) {
    clones.set(output.operand->get(),
               linear(output.operand->get(), exponential, clones));
    Value part = clones.clone(output.op), &sum = rows[1 + i];
    sum = b.create<stablehlo::MulOp>(loc, sum.getType(), sum,
                                     spread(scale, typeOf(sum), output));
    sum = accumulate(sum, part);
  }
}
