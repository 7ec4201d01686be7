// What is the same for all keys of a query comes after the ring: the division
// by the sum of exponentials, and the gradient's sum over keys, which is one
// over the width of values.

#include "RingLoop.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// Products of numbers per query, with one key.
class FactorOf {
public:
  FactorOf(OpBuilder &b, const RingCore &core)
      : b(b), core(core), loc(core.max->getLoc()),
        clones(b, loc, core, {{}, {}, 1, 0}) {}

  /// The factor of `value` beside exponentials and products; null: 1.
  Value of(Value value, int64_t dim) {
    Operation *op = value.getDefiningOp();
    if (!core.keyDim.contains(value))
      return wide(clones.get(value, {dim, -1}));
    if (value == core.exponential || isa<stablehlo::DotGeneralOp>(op))
      return nullptr;
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op))
      return transposed(transpose, dim);
    Value lhs = of(op->getOperand(0), dim);
    if (isa<stablehlo::ConvertOp>(op))
      return lhs;
    if (isa<stablehlo::NegOp>(op))
      return negated(value, lhs, dim);
    Value rhs = of(op->getOperand(1), dim);
    if (!rhs)
      return lhs;
    if (isa<stablehlo::DivOp>(op)) {
      if (!lhs)
        lhs = ones(typeOf(rhs));
      return b.create<stablehlo::DivOp>(loc, rhs.getType(), lhs, rhs);
    }
    if (!lhs)
      return rhs;
    return b.create<stablehlo::MulOp>(loc, rhs.getType(), lhs, rhs);
  }

private:
  Value wide(Value value) {
    RankedTensorType type = accumulatorOf(typeOf(value));
    if (type == value.getType())
      return value;
    return b.create<stablehlo::ConvertOp>(loc, type, value);
  }
  Value ones(RankedTensorType type) {
    return splatOf(b, loc, type, b.getFloatAttr(type.getElementType(), 1));
  }
  Value negated(Value value, Value factor, int64_t dim) {
    if (!factor)
      factor = ones(accumulatorOf(clones.typeIn(value, {dim, -1})));
    return b.create<stablehlo::NegOp>(loc, factor.getType(), factor);
  }
  Value transposed(stablehlo::TransposeOp op, int64_t dim) {
    Value factor = of(op.getOperand(), op.getPermutation()[dim]);
    if (!factor)
      return factor;
    RankedTensorType type =
        accumulatorOf(clones.typeIn(op.getResult(), {dim, -1}));
    return b.create<stablehlo::TransposeOp>(loc, type, factor,
                                            op.getPermutationAttr());
  }

  OpBuilder &b;
  const RingCore &core;
  Location loc;
  BlockClones clones;
};

} // namespace

/// A factor with one key in `value`'s dimensions, by row of the exponentials.
static Value asRows(OpBuilder &b, const RingCore &core, Value factor,
                    Value value) {
  if (!factor)
    return factor;
  Location loc = core.max->getLoc();
  SmallVector<int64_t> dims = core.dimsIn(value), shape, rows;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    shape.push_back(typeOf(factor).getDimSize(dim));
    if (int64_t(i) != core.expKeyDim())
      rows.push_back(shape.back());
  }
  if (!llvm::is_sorted(dims))
    factor = b.create<stablehlo::TransposeOp>(
        loc, typeOf(factor).clone(shape), factor, b.getDenseI64ArrayAttr(dims));
  return b.create<stablehlo::ReshapeOp>(loc, typeOf(factor).clone(rows),
                                        factor);
}

Value partopt::ringFactor(OpBuilder &b, const RingCore &core,
                          const RingCore::Linear &output) {
  Value made = output.operand->get();
  Value factor = FactorOf(b, core).of(made, core.keyDim.find(made)->second);
  return asRows(b, core, factor, made);
}

Value partopt::finishOutput(OpBuilder &b, const RingCore &core,
                            const RingCore::Linear &output, Value sum) {
  Location loc = output.op->getLoc();
  if (Value factor = ringFactor(b, core, output)) {
    SmallVector<int64_t> dims;
    for (int64_t dim : core.dimsIn(output))
      if (dim >= 0)
        dims.push_back(dim);
    RankedTensorType type = typeOf(sum),
                     from = typeOf(factor).clone(type.getElementType());
    if (from != factor.getType())
      factor = b.create<stablehlo::ConvertOp>(loc, from, factor);
    factor = b.create<stablehlo::BroadcastInDimOp>(
        loc, type, factor, b.getDenseI64ArrayAttr(dims));
    sum = b.create<stablehlo::MulOp>(loc, type, sum, factor);
  }
  Type type = output.op->getResult(0).getType();
  if (sum.getType() != type)
    sum = b.create<stablehlo::ConvertOp>(loc, type, sum);
  return sum;
}

static Value sumOver(OpBuilder &b, Location loc, Value value,
                     ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = splatOf(b, loc, scalar, b.getZeroAttr(type.getElementType()));
  auto reduce = b.create<stablehlo::ReduceOp>(
      loc, TypeRange{type.clone(shape)}, ValueRange{value}, ValueRange{zero},
      b.getDenseI64ArrayAttr(dims));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value sum = b.create<stablehlo::AddOp>(loc, scalar, body->getArgument(0),
                                         body->getArgument(1));
  b.create<stablehlo::ReturnOp>(loc, sum);
  return reduce->getResult(0);
}

Value partopt::rowSum(OpBuilder &b, const RingCore &core,
                      const RingCore::RowSum &row) {
  Location loc = row.op->getLoc();
  const RingCore::Linear &linear = core.outputs[row.output];
  Value output = linear.made, gradient = row.gradient;
  RankedTensorType type = accumulatorOf(typeOf(output));
  gradient = b.create<stablehlo::TransposeOp>(
      loc, typeOf(gradient).clone(typeOf(output).getShape()), gradient,
      b.getDenseI64ArrayAttr(row.order));
  auto wide = [&](Value value, RankedTensorType to) -> Value {
    if (value.getType() == to)
      return value;
    return b.create<stablehlo::ConvertOp>(loc, to, value);
  };
  Value both = b.create<stablehlo::MulOp>(loc, type, wide(gradient, type),
                                          wide(output, type));
  // Over the width of values; what is left lies as in the output.
  SmallVector<int64_t> width, kept, shape, rows, order;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    (llvm::is_contained(row.dims, dim) ? kept : width).push_back(dim);
  for (int64_t dim : kept)
    shape.push_back(type.getDimSize(dim));
  for (int64_t dim : row.dims)
    if (dim >= 0)
      order.push_back(llvm::find(kept, dim) - kept.begin());
  for (int64_t at : order)
    rows.push_back(shape[at]);
  Value sum = sumOver(b, loc, both, width);
  if (!llvm::is_sorted(order))
    sum = b.create<stablehlo::TransposeOp>(loc, type.clone(rows), sum,
                                           b.getDenseI64ArrayAttr(order));
  Value summed = row.op->getOperand(0);
  Value factor = FactorOf(b, core).of(summed, core.keyDim.find(summed)->second);
  if (factor)
    sum = b.create<stablehlo::MulOp>(
        loc, sum.getType(), sum,
        b.create<stablehlo::ReshapeOp>(loc, typeOf(sum), factor));
  if (Value done = ringFactor(b, core, linear))
    sum = b.create<stablehlo::DivOp>(loc, sum.getType(), sum, done);
  return wide(sum, typeOf(row.op->getResult(0)));
}
