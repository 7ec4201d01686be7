// comm.shard as a dynamic slice: the offset is the device's index times the
// shard's rows.

#include "RowSlices.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_EXPANDSHARDPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Zero rows up to `rows` along `dim`.
Value padTo(OpBuilder &b, Location loc, Value value, int64_t dim,
            int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getDimSize(dim) == rows)
    return value;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  auto zeros = DenseElementsAttr::get(
      scalar, combinerIdentity(type.getElementType(), Combiner::Sum));
  Value zero = b.create<stablehlo::ConstantOp>(loc, scalar, zeros);
  SmallVector<int64_t> none(type.getRank(), 0), high(type.getRank(), 0);
  SmallVector<int64_t> shape(type.getShape());
  high[dim] = rows - shape[dim];
  shape[dim] = rows;
  return b.create<stablehlo::PadOp>(
      loc, RankedTensorType::get(shape, type.getElementType()), value, zero,
      b.getDenseI64ArrayAttr(none), b.getDenseI64ArrayAttr(high),
      b.getDenseI64ArrayAttr(none));
}

void expand(comm::ShardOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  int64_t dim = op.getDim(), rows = type.getDimSize(dim);
  Value value =
      padTo(b, loc, op.getOperand(), dim, rows * op.getAxes().getGroupSize());
  auto i32 = RankedTensorType::get({}, b.getI32Type());
  Value index = b.create<comm::AxisIndexOp>(loc, i32, op.getAxes());
  Value slice = sliceRows(b, loc, value, index, rows, dim);
  op.getResult().replaceAllUsesWith(slice);
  op.erase();
}

struct ExpandShard : partopt::impl::ExpandShardPassBase<ExpandShard> {
  void runOnOperation() override {
    SmallVector<comm::ShardOp> shards;
    getOperation().walk([&](comm::ShardOp op) { shards.push_back(op); });
    llvm::for_each(shards, expand);
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createExpandShardPass() {
  return std::make_unique<ExpandShard>();
}
