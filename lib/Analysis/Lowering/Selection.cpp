// Reductions that choose, such as argmax, over dimensions split over devices.

#include "Selection.h"

#include "dialects/Comm/Comm.h"
#include "partopt/Analysis/LayoutConversion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

Value partopt::lowering::allGather(LocalContext &context, Value value,
                                   ArrayRef<AxisRef> axes, int64_t dim,
                                   StringRef why) {
  OpBuilder &b = context.builder;
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] *= axesSize(axes);
  auto op = b.create<comm::AllGatherOp>(
      context.loc,
      TypeRange{RankedTensorType::get(shape, from.getElementType())},
      toCommAxes(b.getContext(), context.mesh, axes), b.getI64IntegerAttr(dim),
      ValueRange{value});
  op->setAttr("partopt.why", b.getStringAttr(why));
  return op->getResult(0);
}

bool partopt::lowering::isSelection(Region &body) {
  if (!body.hasOneBlock())
    return false;
  Block &block = body.front();
  unsigned n = block.getTerminator()->getNumOperands();
  for (unsigned i = 0; i < n; ++i) {
    auto select = block.getTerminator()
                      ->getOperand(i)
                      .getDefiningOp<stablehlo::SelectOp>();
    if (!select)
      return false;
    Value sides[] = {block.getArgument(i), block.getArgument(n + i)};
    Value a = select.getOnTrue(), b = select.getOnFalse();
    if (!((a == sides[0] && b == sides[1]) || (a == sides[1] && b == sides[0])))
      return false;
  }
  return true;
}

namespace {

/// A selection along split dimensions: every device offers what its shard
/// selects, and the body selects among those.
class SplitSelection {
public:
  SplitSelection(stablehlo::ReduceOp op, LocalContext &context, AxisList axes)
      : op(op), context(context), b(context.builder), axes(axes) {}

  FailureOr<Values> run() {
    unsigned inputs = op.getInputs().size();
    for (unsigned i = 0; i < inputs; ++i)
      context.operands[i] =
          maskWithInit(i, context.operands[i], context.operands[inputs + i]);
    Values offered = cloneLocal(op, context);
    auto local = offered[0].getDefiningOp<stablehlo::ReduceOp>();
    SmallVector<Value> all;
    for (Value value : offered)
      all.push_back(allGather(context, withLeadingDim(value), axes, 0,
                              "offers every shard's choice to a reduce"));
    auto chosen = b.create<stablehlo::ReduceOp>(
        context.loc, TypeRange(ValueRange(offered)), all,
        ValueRange(context.operands).drop_front(inputs),
        b.getDenseI64ArrayAttr({0}));
    IRMapping mapping;
    local.getBody().cloneInto(&chosen.getBody(), mapping);
    return Values(chosen->result_begin(), chosen->result_end());
  }

private:
  Value maskWithInit(unsigned i, Value value, Value init) {
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [dim, factors] : llvm::enumerate(context.rule.operands[i]))
      for (unsigned factor : factors) {
        if (!llvm::is_contained(op.getDimensions(), int64_t(dim)) ||
            !context.isSplit(factor) || !context.isUneven(factor))
          continue;
        Value mask = context.validMask(factor, type.getShape(), dim);
        Value padding = context.broadcastScalar(init, type.getShape());
        value = b.create<stablehlo::SelectOp>(context.loc, type, mask, value,
                                              padding);
      }
    return value;
  }

  Value withLeadingDim(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    return b.create<stablehlo::ReshapeOp>(
        context.loc, RankedTensorType::get(shape, type.getElementType()),
        value);
  }

  stablehlo::ReduceOp op;
  LocalContext &context;
  OpBuilder &b;
  AxisList axes;
};

} // namespace

FailureOr<Values> partopt::lowering::splitSelection(stablehlo::ReduceOp op,
                                                    LocalContext &context,
                                                    ArrayRef<AxisRef> axes) {
  return SplitSelection(op, context, AxisList(axes)).run();
}
