// batch_norm ops as reductions and elementwise ops, so that every later stage
// sees what is summed over what. Counts are those of the whole batch:
// statistics are exact however the batch is split. Narrow floats are computed
// in f32.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_EXPANDBATCHNORMPASS
#include "partopt/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

class Expansion {
public:
  Expansion(Operation *op, int64_t feature, const APFloat &epsilon)
      : b(op), loc(op->getLoc()), feature(feature),
        given(cast<RankedTensorType>(op->getOperand(0).getType())) {
    Type element = given.getElementType();
    wide = element.isF64() ? element : Type(b.getF32Type());
    whole = given.clone(wide);
    features = RankedTensorType::get({given.getDimSize(feature)}, wide);
    this->epsilon = splat(features, epsilon.convertToDouble());
  }

  Value splat(RankedTensorType type, double value) {
    return b.create<ConstantOp>(
        loc, type, DenseElementsAttr::get(type, b.getFloatAttr(wide, value)));
  }
  Value converted(Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getElementType() == element
               ? value
               : Value(b.create<ConvertOp>(loc, type.clone(element), value));
  }
  Value in(Value value) { return converted(value, wide); }
  Value out(Value value) { return converted(value, given.getElementType()); }
  template <typename Op> Value make(Value x, Value y) {
    return b.create<Op>(loc, x.getType(), x, y);
  }
  Value spread(Value value) {
    return b.create<BroadcastInDimOp>(loc, whole, value,
                                      b.getDenseI64ArrayAttr({feature}));
  }
  /// Over everything but the features.
  Value sum(Value value) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < given.getRank(); ++dim)
      if (dim != feature)
        dims.push_back(dim);
    auto scalar = RankedTensorType::get({}, wide);
    auto reduce = b.create<ReduceOp>(
        loc, TypeRange{features}, ValueRange{value},
        ValueRange{splat(scalar, 0)}, b.getDenseI64ArrayAttr(dims));
    OpBuilder::InsertionGuard guard(b);
    Block *body =
        b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value total = make<AddOp>(body->getArgument(0), body->getArgument(1));
    b.create<ReturnOp>(loc, total);
    return reduce.getResult(0);
  }
  double count() const {
    int64_t size = given.getDimSize(feature);
    int64_t rows = size == 0 ? 0 : given.getNumElements() / size;
    return double(rows);
  }
  Value mean(Value value) {
    return make<DivOp>(sum(value), splat(features, count()));
  }
  Value deviation(Value variance) {
    Value shifted = make<AddOp>(variance, epsilon);
    return b.create<SqrtOp>(loc, shifted.getType(), shifted);
  }
  Value centred(Value operand, Value mean) {
    return make<SubtractOp>(operand, spread(mean));
  }
  Value normalised(Value centred, Value variance, Value scale, Value offset) {
    Value unit = make<DivOp>(centred, spread(deviation(variance)));
    return make<AddOp>(make<MulOp>(unit, spread(scale)), spread(offset));
  }

  OpBuilder b;
  Location loc;
  int64_t feature;
  RankedTensorType given, whole, features;
  Type wide;
  Value epsilon;
};

SmallVector<Value> expand(BatchNormInferenceOp op) {
  Expansion e(op, op.getFeatureIndex(), op.getEpsilon());
  Value centred = e.centred(e.in(op.getOperand()), e.in(op.getMean()));
  return {e.out(e.normalised(centred, e.in(op.getVariance()),
                             e.in(op.getScale()), e.in(op.getOffset())))};
}

SmallVector<Value> expand(BatchNormTrainingOp op) {
  Expansion e(op, op.getFeatureIndex(), op.getEpsilon());
  Value operand = e.in(op.getOperand());
  Value mean = e.mean(operand);
  Value centred = e.centred(operand, mean);
  Value variance = e.mean(e.make<MulOp>(centred, centred));
  Value output = e.normalised(centred, variance, e.in(op.getScale()),
                              e.in(op.getOffset()));
  return {e.out(output), e.out(mean), e.out(variance)};
}

/// With n elements per feature, c the centred operand and v = variance +
/// epsilon: scale / sqrt(v) / n * (n g - sum(g) - c sum(g c) / v).
SmallVector<Value> expand(BatchNormGradOp op) {
  Expansion e(op, op.getFeatureIndex(), op.getEpsilon());
  Value gradient = e.in(op.getGradOutput());
  Value centred = e.centred(e.in(op.getOperand()), e.in(op.getMean()));
  Value variance = e.in(op.getVariance());
  Value deviation = e.deviation(variance);
  Value gradOffset = e.sum(gradient);
  Value product = e.sum(e.make<MulOp>(gradient, centred));
  // A sum of its own, so that each device can normalise by its own statistics.
  Value unit = e.make<DivOp>(centred, e.spread(deviation));
  Value gradScale = e.sum(e.make<MulOp>(gradient, unit));
  Value count = e.splat(e.features, e.count());
  Value slope = e.make<DivOp>(product, e.make<AddOp>(variance, e.epsilon));
  Value scaled = e.make<MulOp>(gradient, e.spread(count));
  Value rest = e.make<SubtractOp>(scaled, e.spread(gradOffset));
  rest = e.make<SubtractOp>(rest, e.make<MulOp>(centred, e.spread(slope)));
  Value factor =
      e.make<DivOp>(e.make<DivOp>(e.in(op.getScale()), deviation), count);
  return {e.out(e.make<MulOp>(e.spread(factor), rest)), e.out(gradScale),
          e.out(gradOffset)};
}

template <typename Op> void replace(Op op) {
  SmallVector<Value> values = expand(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
      sdy::setSharding(value, sharding);
  op->replaceAllUsesWith(values);
  op->erase();
}

struct ExpandBatchNormPass
    : impl::ExpandBatchNormPassBase<ExpandBatchNormPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto inference = dyn_cast<BatchNormInferenceOp>(op))
        replace(inference);
      else if (auto training = dyn_cast<BatchNormTrainingOp>(op))
        replace(training);
      else if (auto gradient = dyn_cast<BatchNormGradOp>(op))
        replace(gradient);
    });
  }
};

} // namespace
} // namespace partopt
