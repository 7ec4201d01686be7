// What of an attention is linear in its exponentials, and where dimensions go
// on the way from them.

#include "RingCore.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Numbers of queries that were spread over keys, in `dim`.
static bool isSpread(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (auto spread = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op)) {
    auto dims = spread.getBroadcastDimensions();
    const auto *at = llvm::find(dims, dim);
    return at == dims.end() ||
           typeOf(spread.getOperand()).getDimSize(at - dims.begin()) == 1;
  }
  auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op);
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat();
}

std::optional<RingCore::Degree> RingCore::degreeOf(Value value,
                                                   int64_t dim) const {
  if (value == exponential)
    return Degree{1, 0, nullptr};
  Operation *op = value.getDefiningOp();
  if (!keyDim.contains(value))
    return isSpread(value, dim) ? std::optional<Degree>(Degree())
                                : std::nullopt;
  if (!op || isa<stablehlo::DotGeneralOp>(op))
    return op ? std::optional<Degree>(Degree{0, 1, op}) : std::nullopt;
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op))
    return degreeOf(op->getOperand(0), transpose.getPermutation()[dim]);
  if (isa<stablehlo::ConvertOp, stablehlo::NegOp>(op))
    return degreeOf(op->getOperand(0), dim);
  if (!isa<stablehlo::MulOp, stablehlo::DivOp>(op))
    return std::nullopt;
  auto lhs = degreeOf(op->getOperand(0), dim),
       rhs = degreeOf(op->getOperand(1), dim);
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<stablehlo::DivOp>(op) && (rhs->exponentials || rhs->products))
    return std::nullopt;
  return Degree{lhs->exponentials + rhs->exponentials,
                lhs->products + rhs->products,
                lhs->product ? lhs->product : rhs->product};
}

SmallVector<Value> RingCore::sourcesOf(Operation *sum) const {
  for (const Scatter &scatter : scatters)
    if (scatter.op == sum)
      return {scatter.sum}; // without its padding
  return llvm::to_vector(sum->getOperands());
}

OpOperand *RingCore::linearOperand(Value value) const {
  Operation *op = value.getDefiningOp();
  if (value == exponential || !op)
    return nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    auto at = keyDim.find(operand.get());
    if (at == keyDim.end())
      continue;
    auto degree = degreeOf(operand.get(), at->second);
    if (degree && degree->exponentials == 1)
      return &operand;
  }
  return nullptr;
}

SmallVector<int64_t> RingCore::dimsIn(Value value) const {
  OpOperand *from = linearOperand(value);
  if (!from)
    return llvm::to_vector(
        llvm::seq<int64_t>(0, typeOf(exponential).getRank()));
  SmallVector<int64_t> dims = dimsIn(from->get());
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(from->getOwner()))
    for (int64_t &dim : dims)
      dim = llvm::find(transpose.getPermutation(), dim) -
            transpose.getPermutation().begin();
  return dims;
}

SmallVector<int64_t> RingCore::dimsIn(const Linear &output) const {
  auto rule = getShardingRule(output.op);
  SmallVector<int64_t> dims = dimsIn(output.operand->get());
  for (int64_t &dim : dims)
    dim = dimAcross(rule->operands[output.operand->getOperandNumber()],
                    rule->results[0], dim)
              .value_or(-1);
  return dims;
}
