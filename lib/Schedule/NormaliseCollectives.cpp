//===- NormaliseCollectives.cpp - Collectives on contiguous blocks --------===//
//
// Brings the dimension along which blocks lie to the front, and back after.
//
//===----------------------------------------------------------------------===//

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/ShapeOps.h"

#include "partopt/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_NORMALISECOLLECTIVES
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  if (type == value.getType())
    return value;
  return builder.create<stablehlo::ReshapeOp>(loc, type, value);
}

/// The permutation that brings dimension `from` to place `to`.
SmallVector<int64_t> moving(int64_t rank, int64_t from, int64_t to) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

/// Result dimension i is operand dimension order[i]. A reshape where the
/// elements keep their order, which is a mere view later.
Value permute(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> order) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape, moved;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    if (type.getDimSize(dim) != 1)
      moved.push_back(dim);
  }
  if (llvm::is_sorted(moved))
    return reshape(builder, loc, value, shape);
  return builder.create<stablehlo::TransposeOp>(
      loc, RankedTensorType::get(shape, type.getElementType()), value,
      builder.getDenseI64ArrayAttr(order));
}

/// Rebuilds a gather or scatter of dimension `dim` along dimension 0.
/// Its extent is multiplied and divided as given.
void moveToFront(Operation *op, int64_t dim, int64_t multiply, int64_t divide) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op->getOperands()) {
    int64_t rank = typeOf(operand).getRank();
    operands.push_back(permute(builder, loc, operand, moving(rank, dim, 0)));
    RankedTensorType type = typeOf(operands.back());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = shape[0] * multiply / divide;
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  OperationState state(loc, op->getName(), operands, types, op->getAttrs());
  state.attributes.set("dim", builder.getI64IntegerAttr(0));
  Operation *front = builder.create(state);
  for (auto [before, after] : llvm::zip(op->getResults(), front->getResults()))
    before.replaceAllUsesWith(
        permute(builder, loc, after, moving(typeOf(after).getRank(), 0, dim)));
  op->erase();
}

/// [.., split, ..] becomes [n, .., split / n, ..], is exchanged, and the n
/// blocks, now by sender, become the major part of the concatenated dimension.
void blockAllToAll(comm::AllToAllOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t n = op.getAxes().getGroupSize();
  int64_t split = op.getSplitDim(), concat = op.getConcatDim();
  SmallVector<int64_t> shape(typeOf(op.getOperand()).getShape());
  shape[split] /= n;
  int64_t rank = shape.size();
  SmallVector<int64_t> cut = shape;
  cut.insert(cut.begin() + split, n);
  Value value = reshape(builder, loc, op.getOperand(), cut);
  value = permute(builder, loc, value, moving(rank + 1, split, 0));
  auto blocks = builder.create<comm::AllToAllOp>(
      loc, value.getType(), op.getAxes(), builder.getI64IntegerAttr(0),
      builder.getI64IntegerAttr(0), value);
  blocks->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  value =
      permute(builder, loc, blocks.getResult(), moving(rank + 1, 0, concat));
  shape[concat] *= n;
  op.getResult().replaceAllUsesWith(reshape(builder, loc, value, shape));
  op.erase();
}

void normalise(Operation *op) {
  if (auto gather = dyn_cast<comm::AllGatherOp>(op))
    moveToFront(op, gather.getDim(), gather.getAxes().getGroupSize(), 1);
  else if (auto scatter = dyn_cast<comm::ReduceScatterOp>(op))
    moveToFront(op, scatter.getDim(), 1, scatter.getAxes().getGroupSize());
  else
    blockAllToAll(cast<comm::AllToAllOp>(op));
}

struct NormaliseCollectivesPass
    : public partopt::impl::NormaliseCollectivesBase<NormaliseCollectivesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> collectives;
    WalkResult walk = getOperation().walk([&](comm::CollectiveOpInterface op) {
      if (op.isStart()) {
        op.emitOpError("is started already; run "
                       "partopt-normalise-collectives before");
        return WalkResult::interrupt();
      }
      if (!op.isContiguous())
        collectives.push_back(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : collectives)
      normalise(op);
    moved += collectives.size();
  }
};

} // namespace
