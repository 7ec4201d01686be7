// See RowSlices.h.

#include "RowSlices.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

Value partopt::indexConstant(OpBuilder &b, Location loc, int64_t number) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  return b.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, b.getI32IntegerAttr(number)));
}

SmallVector<Value> partopt::startsOfRows(OpBuilder &b, Location loc,
                                         Value index, int64_t rows, int64_t dim,
                                         int64_t rank) {
  Value first = b.create<stablehlo::MulOp>(loc, index.getType(), index,
                                           indexConstant(b, loc, rows));
  SmallVector<Value> starts(rank, indexConstant(b, loc, 0));
  starts[dim] = first;
  return starts;
}

/// `value` with dimension `dim` written as `groups` and the rest, or back.
static Value regroup(OpBuilder &b, Location loc, Value value, int64_t dim,
                     int64_t groups) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  return b.create<stablehlo::ReshapeOp>(loc, type.clone(shape), value);
}

Value partopt::sliceRows(OpBuilder &b, Location loc, Value value, Value index,
                         int64_t rows, int64_t dim, int64_t groups) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = rows;
  if (groups > 1) {
    Value runs = regroup(b, loc, value, dim, groups);
    Value part = sliceRows(b, loc, runs, index, rows / groups, dim + 1);
    return b.create<stablehlo::ReshapeOp>(loc, type.clone(shape), part);
  }
  auto starts = startsOfRows(b, loc, index, rows, dim, type.getRank());
  return b.create<stablehlo::DynamicSliceOp>(
      loc, type.clone(shape), value, starts, b.getDenseI64ArrayAttr(shape));
}

Value partopt::writeRows(OpBuilder &b, Location loc, Value into, Value part,
                         Value index, int64_t dim, int64_t groups) {
  if (groups > 1) {
    Value runs = writeRows(b, loc, regroup(b, loc, into, dim, groups),
                           regroup(b, loc, part, dim, groups), index, dim + 1);
    return b.create<stablehlo::ReshapeOp>(loc, into.getType(), runs);
  }
  auto type = cast<RankedTensorType>(part.getType());
  auto starts =
      startsOfRows(b, loc, index, type.getDimSize(dim), dim, type.getRank());
  return b.create<stablehlo::DynamicUpdateSliceOp>(loc, into, part, starts);
}

/// A run of axes in space and a part of the iteration after the other.
Value partopt::indexInTime(OpBuilder &b, comm::AxisIndexOp op,
                           comm::AxesAttr axes, const MeshAxis &axis,
                           Value index) {
  Location loc = op.getLoc();
  Type type = op.getType();
  Value result;
  auto append = [&](Value digit, int64_t size) {
    if (result) {
      result = b.create<stablehlo::MulOp>(loc, type, result,
                                          indexConstant(b, loc, size));
      digit = b.create<stablehlo::AddOp>(loc, type, result, digit);
    }
    result = digit;
  };
  for (size_t i = 0, end = axes.getNames().size(); i < end;) {
    if (axes.getNames()[i].getValue() == axis.name) {
      int64_t size = axes.getSizes()[i];
      int64_t inner = axis.size / (axes.getPreSizes()[i] * size);
      Value outer = b.create<stablehlo::DivOp>(loc, type, index,
                                               indexConstant(b, loc, inner));
      append(b.create<stablehlo::RemOp>(loc, type, outer,
                                        indexConstant(b, loc, size)),
             size);
      ++i;
      continue;
    }
    size_t begin = i;
    while (i < end && axes.getNames()[i].getValue() != axis.name)
      ++i;
    auto run = comm::AxesAttr::get(op.getContext(),
                                   axes.getNames().slice(begin, i - begin),
                                   axes.getPreSizes().slice(begin, i - begin),
                                   axes.getSizes().slice(begin, i - begin));
    append(b.create<comm::AxisIndexOp>(loc, type, run), run.getGroupSize());
  }
  return result;
}
