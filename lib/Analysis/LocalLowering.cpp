// The parts of local lowering that all ops share: device-dependent values,
// padding masks, projection of factors to dimensions, and the default clone.

#include "partopt/Analysis/LocalLowering.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partopt;

#include "partopt/Analysis/LocalLoweringInterface.cpp.inc"

int64_t LocalContext::localSize(unsigned factor) const {
  int64_t n = parts(factor);
  return (rule.factors[factor].size + n - 1) / n;
}

bool LocalContext::isUneven(unsigned factor) const {
  return rule.factors[factor].size % parts(factor) != 0;
}

Value LocalContext::axisIndex(ArrayRef<AxisRef> axes) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return builder.create<comm::AxisIndexOp>(
      loc, type, toCommAxes(builder.getContext(), mesh, axes));
}

Value LocalContext::splat(RankedTensorType type, Attribute element) {
  return builder.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, element));
}

Value LocalContext::i32(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return splat(type, builder.getI32IntegerAttr(value));
}

Value LocalContext::shardOffset(unsigned factor) {
  Value index = axisIndex(factorAxes[factor]);
  return builder.create<stablehlo::MulOp>(loc, index.getType(), index,
                                          i32(localSize(factor)));
}

Value LocalContext::broadcastScalar(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(scalar.getType()).getElementType());
  if (shape.empty())
    return scalar;
  return builder.create<stablehlo::BroadcastInDimOp>(
      loc, type, scalar, builder.getDenseI64ArrayAttr({}));
}

Value partopt::positionsBelow(OpBuilder &b, Location loc,
                              ArrayRef<int64_t> shape, int64_t dim, Value start,
                              int64_t end) {
  auto type = RankedTensorType::get(shape, b.getI32Type());
  Value position =
      b.create<stablehlo::IotaOp>(loc, type, b.getI64IntegerAttr(dim));
  start = b.create<stablehlo::BroadcastInDimOp>(loc, type, start,
                                                b.getDenseI64ArrayAttr({}));
  position = b.create<stablehlo::AddOp>(loc, type, position, start);
  Value limit = b.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, b.getI32IntegerAttr(end)));
  return b.create<stablehlo::CompareOp>(loc, position, limit,
                                        stablehlo::ComparisonDirection::LT,
                                        stablehlo::ComparisonType::SIGNED);
}

Value LocalContext::validMask(unsigned factor, ArrayRef<int64_t> shape,
                              int64_t dim) {
  return positionsBelow(builder, loc, shape, dim, shardOffset(factor),
                        rule.factors[factor].size);
}

Value LocalContext::maskPadding(Value value, int64_t dim, unsigned factor,
                                Combiner combiner) {
  if (!isUneven(factor))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  Value mask = validMask(factor, type.getShape(), dim);
  Value identity =
      splat(type, combinerIdentity(type.getElementType(), combiner));
  return builder.create<stablehlo::SelectOp>(loc, type, mask, value, identity);
}

static APInt integerIdentity(IntegerType type, Combiner combiner) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  switch (combiner) {
  case Combiner::Sum:
  case Combiner::Or:
    return APInt::getZero(width);
  case Combiner::Product:
    return APInt(width, 1);
  case Combiner::And:
    return APInt::getAllOnes(width);
  case Combiner::Min:
    return isUnsigned ? APInt::getMaxValue(width)
                      : APInt::getSignedMaxValue(width);
  case Combiner::Max:
    return isUnsigned ? APInt::getMinValue(width)
                      : APInt::getSignedMinValue(width);
  }
  return APInt::getZero(width);
}

/// Types without infinities use their largest finite value.
static APFloat floatIdentity(FloatType type, Combiner combiner) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (combiner == Combiner::Product)
    return APFloat(semantics, 1);
  if (combiner != Combiner::Min && combiner != Combiner::Max)
    return APFloat::getZero(semantics);
  bool negative = combiner == Combiner::Max;
  APFloat infinity = APFloat::getInf(semantics, negative);
  return infinity.isInfinity() ? infinity
                               : APFloat::getLargest(semantics, negative);
}

Attribute partopt::combinerIdentity(Type type, Combiner combiner) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerAttr::get(type, integerIdentity(integer, combiner));
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, floatIdentity(floating, combiner));
  auto complex = cast<ComplexType>(type);
  auto real = cast<FloatType>(complex.getElementType());
  Attribute re = FloatAttr::get(real, floatIdentity(real, combiner));
  Attribute im = FloatAttr::get(real, 0.0);
  return ArrayAttr::get(type.getContext(), {re, im});
}

SmallVector<AxisList, 4> partopt::projectToDims(const TensorMapping &mapping,
                                                const FactorAxes &factorAxes) {
  SmallVector<AxisList, 4> dims;
  for (const DimMapping &factors : mapping) {
    AxisList axes;
    for (unsigned factor : factors)
      axes.append(factorAxes[factor].begin(), factorAxes[factor].end());
    joinSubAxes(axes);
    dims.push_back(axes);
  }
  return dims;
}

void partopt::dropShardings(Operation *op) {
  op->walk([](Operation *inner) {
    for (StringRef name :
         {"sdy.sharding", "sdy.sharding_rule", "partopt.unreduced"})
      inner->removeAttr(name);
  });
}

SmallVector<Value, 1> partopt::cloneLocal(Operation *op,
                                          LocalContext &context) {
  IRMapping mapping;
  mapping.map(op->getOperands(), context.operands);
  Operation *clone = context.builder.clone(*op, mapping);
  dropShardings(clone);
  for (auto [result, type] :
       llvm::zip_equal(clone->getResults(), context.resultTypes))
    result.setType(type);
  return SmallVector<Value, 1>(clone->getResults());
}

SmallVector<LinearGroup, 2> partopt::getLinearGroups(Operation *op,
                                                     Combiner combiner) {
  if (auto model = dyn_cast<LocalLoweringOpInterface>(op))
    return model.getLinearGroups(combiner);
  return {};
}

FailureOr<SmallVector<Value, 1>> partopt::lowerToLocal(Operation *op,
                                                       LocalContext &context) {
  if (auto model = dyn_cast<LocalLoweringOpInterface>(op))
    return model.localize(context);
  return cloneLocal(op, context);
}
