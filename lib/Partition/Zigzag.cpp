// See Zigzag.h. Parts of even number are first halves of blocks, those of odd
// number second halves, and a device of even index has its part of even number
// in front: each half of all blocks is one permutation of devices.

#include "Zigzag.h"

#include "RowSlices.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

SmallVector<int64_t> Zigzag::moves(int64_t half, bool back) const {
  SmallVector<int64_t> to(n);
  for (int64_t device = 0; device < n; ++device) {
    int64_t target = deviceOf(2 * device + half);
    to[back ? target : device] = back ? device : target;
  }
  return to;
}

Value Zigzag::move(OpBuilder &b, Location loc, Value value, int64_t half,
                   bool back) {
  auto op = b.create<comm::PermuteOp>(loc, value.getType(), axes,
                                      b.getDenseI64ArrayAttr(moves(half, back)),
                                      value);
  op->setAttr("partopt.why",
              b.getStringAttr(back ? "moves positions back to their order"
                                   : "moves positions so that each device has "
                                     "as many keys to see"));
  return op.getResult();
}

Value Zigzag::isEven(OpBuilder &b, Location loc) {
  auto scalar = RankedTensorType::get({}, b.getI32Type());
  Value index = b.create<comm::AxisIndexOp>(loc, scalar, axes);
  Value rest =
      b.create<stablehlo::RemOp>(loc, scalar, index, indexConstant(b, loc, 2));
  return b.create<stablehlo::CompareOp>(loc, rest, indexConstant(b, loc, 0),
                                        stablehlo::ComparisonDirection::EQ,
                                        stablehlo::ComparisonType::SIGNED);
}

Zigzag::Halves Zigzag::split(OpBuilder &b, Location loc, Value value,
                             int64_t dim) {
  RankedTensorType type = typeOf(value);
  int64_t size = type.getDimSize(dim) / 2;
  Halves came;
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> starts(type.getRank(), 0), ends(type.getShape()),
        ones(type.getRank(), 1), shape(type.getShape());
    starts[dim] = half * size;
    ends[dim] = starts[dim] + size;
    shape[dim] = size;
    Value part = b.create<stablehlo::SliceOp>(
        loc, type.clone(shape), value, b.getDenseI64ArrayAttr(starts),
        b.getDenseI64ArrayAttr(ends), b.getDenseI64ArrayAttr(ones));
    came[half] = move(b, loc, part, half, /*back=*/false);
  }
  Value even = isEven(b, loc);
  return {b.create<stablehlo::SelectOp>(loc, even, came[0], came[1]),
          b.create<stablehlo::SelectOp>(loc, even, came[1], came[0])};
}

Value Zigzag::join(OpBuilder &b, Location loc, const Halves &halves,
                   int64_t dim) {
  Value even = isEven(b, loc);
  SmallVector<Value> parts;
  for (int64_t half : {0, 1}) {
    Value part = b.create<stablehlo::SelectOp>(loc, even, halves[half],
                                               halves[1 - half]);
    parts.push_back(move(b, loc, part, half, /*back=*/true));
  }
  SmallVector<int64_t> shape(typeOf(parts[0]).getShape());
  shape[dim] *= 2;
  return b.create<stablehlo::ConcatenateOp>(loc, typeOf(parts[0]).clone(shape),
                                            parts, uint64_t(dim));
}
