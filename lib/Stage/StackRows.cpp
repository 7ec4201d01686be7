// See StackRows.h. What goes row by row is told by the ops' sharding rules: a
// factor that nothing crosses, which is dimension 0 wherever it is.

#include "StackRows.h"

#include "dialects/Comm/Comm.h"
#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static RankedTensorType withRows(RankedTensorType type, int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = rows;
  return type.clone(shape);
}

int64_t partopt::rowsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 ? type.getDimSize(0) : -1;
}

/// Collectives that leave dimension 0 alone.
static bool keepsRows(Operation *op) {
  if (isa<comm::AllReduceOp>(op))
    return true;
  if (auto gather = dyn_cast<comm::AllGatherOp>(op))
    return gather.getDim() != 0;
  auto scatter = dyn_cast<comm::ReduceScatterOp>(op);
  return scatter && scatter.getDim() != 0;
}

/// Attributes hold no extent of dimension 0, or cloneForRows changes it.
static bool canChangeRows(Operation *op) {
  using namespace stablehlo;
  return op->hasTrait<Elementwise>() ||
         isa<BroadcastInDimOp, ConcatenateOp, DotGeneralOp, DynamicSliceOp,
             PadOp, ReduceOp, ReshapeOp, ReverseOp, SliceOp, TransposeOp>(op);
}

/// All operands and results have as many rows as the first result.
static bool haveEqualRows(Operation *op) {
  auto isEqual = [&](Value value) {
    return rowsOf(value) == rowsOf(op->getResult(0));
  };
  return llvm::all_of(op->getOperands(), isEqual) &&
         llvm::all_of(op->getResults(), isEqual);
}

std::optional<SmallVector<unsigned>> partopt::rowOperandsOf(Operation *op) {
  SmallVector<unsigned> operands;
  if (op->getNumResults() == 0 || rowsOf(op->getResult(0)) < 0)
    return std::nullopt;
  if (keepsRows(op)) {
    if (!haveEqualRows(op))
      return std::nullopt;
    llvm::append_range(operands, llvm::seq(0u, op->getNumOperands()));
    return operands;
  }
  std::optional<ShardingRule> rule =
      canChangeRows(op) ? getShardingRule(op) : std::nullopt;
  if (!rule)
    return std::nullopt;
  std::optional<unsigned> factor = soleFactorOf(rule->results.front(), 0);
  if (!factor || rule->factors[*factor].kind != FactorKind::PassThrough ||
      rule->factors[*factor].size != rowsOf(op->getResult(0)))
    return std::nullopt;
  // Dimension 0 as a whole, or no part of it.
  auto has = [&](const TensorMapping &mapping) {
    return llvm::any_of(mapping, [&](const DimMapping &dim) {
      return llvm::is_contained(dim, *factor);
    });
  };
  auto isFirst = [&](const TensorMapping &mapping) {
    return !mapping.empty() && soleFactorOf(mapping, 0) == factor;
  };
  if (!llvm::all_of(rule->results, isFirst))
    return std::nullopt;
  for (auto [i, mapping] : llvm::enumerate(rule->operands)) {
    if (!has(mapping))
      continue;
    if (!isFirst(mapping) ||
        rowsOf(op->getOperand(i)) != rowsOf(op->getResult(0)))
      return std::nullopt;
    operands.push_back(unsigned(i));
  }
  return operands;
}

bool partopt::assemblesRows(Operation *op) {
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op))
    return concatenate.getDimension() == 0;
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  return pad && rowsOf(pad) > 0 && pad.getEdgePaddingLow()[0] >= 0 &&
         pad.getEdgePaddingHigh()[0] >= 0 && pad.getInteriorPadding()[0] == 0;
}

bool partopt::canMakeAnyRows(Operation *op) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op))
    return true;
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast)
    return false;
  std::optional<SmallVector<unsigned>> operands = rowOperandsOf(op);
  return operands && operands->empty();
}

std::optional<RowRange> partopt::slicedRows(Operation *op) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice || rowsOf(slice) < 0 ||
      rowsOf(slice) == rowsOf(slice.getOperand()))
    return std::nullopt;
  ArrayRef<int64_t> strides = slice.getStrides();
  if (llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) ||
      slice.getType().getShape().drop_front() !=
          typeOf(slice.getOperand()).getShape().drop_front())
    return std::nullopt;
  return RowRange{slice.getStartIndices()[0], slice.getLimitIndices()[0]};
}

bool partopt::foldsRows(Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  return reduce && reduce.getInputs().size() == 1 &&
         llvm::is_contained(reduce.getDimensions(), 0) &&
         divisibleCombiner(reduce.getBody(), reduce.getInitValues());
}

Value partopt::sliceRows(OpBuilder &builder, Location loc, Value value,
                         RowRange rows) {
  if (rows.size() == rowsOf(value))
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  starts.front() = rows.begin;
  limits.front() = rows.end;
  return builder.createOrFold<stablehlo::SliceOp>(loc, value, starts, limits,
                                                  strides);
}

Operation *partopt::cloneForRows(OpBuilder &builder, Operation *op,
                                 ValueRange operands, int64_t count) {
  Operation *part = builder.clone(*op);
  part->setOperands(operands);
  for (OpResult result : part->getResults())
    result.setType(withRows(typeOf(result), count));
  if (auto slice = dyn_cast<stablehlo::SliceOp>(part)) {
    SmallVector<int64_t> limits(slice.getLimitIndices());
    limits.front() = count;
    slice.setLimitIndices(limits);
  } else if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(part)) {
    SmallVector<int64_t> sizes(slice.getSliceSizes());
    sizes.front() = count;
    slice.setSliceSizes(sizes);
  }
  return part;
}

Value partopt::makeRows(OpBuilder &builder, Value value, RowRange rows) {
  Operation *op = value.getDefiningOp();
  if (isa<stablehlo::BroadcastInDimOp>(op))
    return cloneForRows(builder, op, op->getOperands(), rows.size())
        ->getResult(0);
  return sliceRows(builder, op->getLoc(), value, rows);
}

static Value concatenateRows(OpBuilder &builder,
                             stablehlo::ConcatenateOp concatenate,
                             RowRange rows) {
  SmallVector<Value> pieces;
  int64_t begin = 0;
  for (Value operand : concatenate.getOperands()) {
    RowRange own{begin, begin + rowsOf(operand)};
    RowRange common = own.meet(rows);
    begin = own.end;
    if (common.size() > 0)
      pieces.push_back(
          sliceRows(builder, concatenate.getLoc(), operand,
                    {common.begin - own.begin, common.end - own.begin}));
  }
  if (pieces.size() == 1)
    return pieces.front();
  return builder.create<stablehlo::ConcatenateOp>(
      concatenate.getLoc(), withRows(concatenate.getType(), rows.size()),
      pieces, concatenate.getDimensionAttr());
}

static Value padRows(OpBuilder &builder, stablehlo::PadOp pad, RowRange rows) {
  RankedTensorType type = withRows(pad.getType(), rows.size());
  int64_t low = pad.getEdgePaddingLow()[0];
  RowRange own{low, low + rowsOf(pad.getOperand())};
  RowRange common = own.meet(rows);
  if (common.size() <= 0)
    return builder.create<stablehlo::BroadcastInDimOp>(
        pad.getLoc(), type, pad.getPaddingValue(),
        builder.getDenseI64ArrayAttr({}));
  SmallVector<int64_t> lows(pad.getEdgePaddingLow()),
      highs(pad.getEdgePaddingHigh());
  lows.front() = common.begin - rows.begin;
  highs.front() = rows.end - common.end;
  Value operand = sliceRows(builder, pad.getLoc(), pad.getOperand(),
                            {common.begin - low, common.end - low});
  return builder.create<stablehlo::PadOp>(
      pad.getLoc(), type, operand, pad.getPaddingValue(),
      builder.getDenseI64ArrayAttr(lows), builder.getDenseI64ArrayAttr(highs),
      pad.getInteriorPaddingAttr());
}

Value partopt::assembleRows(OpBuilder &builder, Operation *op, RowRange rows) {
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op))
    return concatenateRows(builder, concatenate, rows);
  return padRows(builder, cast<stablehlo::PadOp>(op), rows);
}

Value partopt::foldParts(OpBuilder &builder, Operation *op, ValueRange parts) {
  auto reduce = cast<stablehlo::ReduceOp>(op);
  Operation *combine =
      reduce.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  Value total;
  for (Value part : parts) {
    auto own = cast<stablehlo::ReduceOp>(builder.clone(*op));
    own.getInputsMutable().assign(part);
    Value folded = own.getResult(0);
    if (!total) {
      total = folded;
      continue;
    }
    OperationState state(op->getLoc(), combine->getName(),
                         ValueRange{total, folded}, folded.getType(),
                         combine->getAttrs());
    total = builder.create(state)->getResult(0);
  }
  return total;
}
