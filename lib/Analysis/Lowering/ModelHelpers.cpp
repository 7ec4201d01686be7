// Shared queries of the local-lowering models and their registration.

#include "ModelHelpers.h"

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

bool partopt::isIdentity(Value value, Combiner combiner) {
  // Neither a layout nor a broadcast changes what the elements are.
  while (isa_and_nonnull<stablehlo::BroadcastInDimOp, sdy::ReshardOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  DenseElementsAttr elements;
  // Not ConstantLike, so that nothing folds it.
  if (auto split = value.getDefiningOp<sdy::ConstantOp>())
    elements = dyn_cast<DenseElementsAttr>(split.getValue());
  else
    matchPattern(value, m_Constant(&elements));
  if (!elements || !elements.isSplat())
    return false;
  Attribute identity = combinerIdentity(elements.getElementType(), combiner);
  // -0.0 is an identity of sums as much as 0.0.
  if (auto number = dyn_cast<FloatAttr>(elements.getSplatValue<Attribute>()))
    if (combiner == Combiner::Sum)
      return number.getValue().isZero();
  return elements.getSplatValue<Attribute>() == identity;
}

std::optional<Combiner> partopt::divisibleCombiner(Region &body,
                                                   ValueRange inits) {
  std::optional<Combiner> combiner = bodyCombiner(body);
  if (!combiner)
    return std::nullopt;
  bool idempotent =
      *combiner != Combiner::Sum && *combiner != Combiner::Product;
  if (!idempotent && !llvm::all_of(inits, [&](Value init) {
        return isIdentity(init, *combiner);
      }))
    return std::nullopt;
  return combiner;
}

Value partopt::keepOnFirstDevice(LocalContext &context, Value value,
                                 ArrayRef<AxisRef> axes, Combiner combiner) {
  if (isIdentity(value, combiner))
    return value;
  OpBuilder &b = context.builder;
  auto type = cast<RankedTensorType>(value.getType());
  Value index = context.axisIndex(axes);
  Value isFirst = b.create<stablehlo::CompareOp>(
      context.loc, index, context.i32(0), stablehlo::ComparisonDirection::EQ,
      stablehlo::ComparisonType::SIGNED);
  Value identity =
      context.splat(type, combinerIdentity(type.getElementType(), combiner));
  return b.create<stablehlo::SelectOp>(context.loc, type, isFirst, value,
                                       identity);
}

Value partopt::lowering::maskedForSum(LocalContext &context, unsigned i) {
  Value value = context.operands[i];
  for (auto [dim, factors] : llvm::enumerate(context.rule.operands[i]))
    for (unsigned factor : factors) {
      const Factor &f = context.rule.factors[factor];
      if (f.kind == FactorKind::Reduction && context.isSplit(factor))
        value = context.maskPadding(value, dim, factor, f.combiner);
    }
  return value;
}

bool partopt::lowering::crossesProducts(Operation *op, Combiner combiner) {
  return combiner == Combiner::Sum &&
         !typeOf(op->getResult(0)).getElementType().isF16();
}

AxisList partopt::lowering::reductionAxes(const LocalContext &context) {
  AxisList axes;
  for (auto [factor, list] :
       llvm::zip_equal(context.rule.factors, context.factorAxes))
    if (factor.kind == FactorKind::Reduction)
      axes.append(list.begin(), list.end());
  return axes;
}

void partopt::registerLocalLoweringModels(DialectRegistry &registry) {
  registerElementwise(registry);
  registerShape(registry);
  registerContraction(registry);
  registerIndexing(registry);
  registerOrdered(registry);
  registerWindows(registry);
}

RankedTensorType partopt::lowering::resized(Value value, int64_t dim,
                                            int64_t size) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, typeOf(value).getElementType());
}
