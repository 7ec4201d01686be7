// Local forms of the ops that combine along dimensions: padding is masked by
// the combiner's identity, and an initial value is counted once.

#include "Selection.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

struct DotGeneralModel : Model<DotGeneralModel, stablehlo::DotGeneralOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    Type element =
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    if (c == Combiner::Sum && !element.isF16())
      return {{0}, {1}};
    return {};
  }
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    // Both sides: padding times zero may still be NaN.
    for (unsigned i = 0; i < 2; ++i)
      context.operands[i] = maskedForSum(context, i);
    return cloneLocal(op, context);
  }
};

/// The combiner of a one-op reduction body, or nothing.
std::optional<Combiner> bodyCombiner(Region &region) {
  if (!region.hasOneBlock())
    return std::nullopt;
  Block &body = region.front();
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2)
    return std::nullopt;
  Operation &op = body.front();
  bool plain = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
               body.getTerminator()->getOperand(0) == op.getResult(0) &&
               op.getOperand(0) != op.getOperand(1) &&
               llvm::all_of(op.getOperands(), [&](Value v) {
                 return llvm::is_contained(body.getArguments(), v);
               });
  if (!plain)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(&op)
      .Case<stablehlo::AddOp>([](auto) { return Combiner::Sum; })
      .Case<stablehlo::MulOp>([](auto) { return Combiner::Product; })
      .Case<stablehlo::MaxOp>([](auto) { return Combiner::Max; })
      .Case<stablehlo::MinOp>([](auto) { return Combiner::Min; })
      .Case<stablehlo::AndOp>([](auto) { return Combiner::And; })
      .Case<stablehlo::OrOp>([](auto) { return Combiner::Or; })
      .Default([](auto) { return std::nullopt; });
}

struct ReduceModel : Model<ReduceModel, stablehlo::ReduceOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (op->getNumOperands() == 2 && bodyCombiner(op->getRegion(0)) == c)
      return {{0, 1}};
    return {};
  }
  void refineRule(Operation *op, ShardingRule &rule) const {
    auto reduce = cast<stablehlo::ReduceOp>(op);
    if (isSelection(reduce.getBody()))
      for (int64_t dim : reduce.getDimensions())
        for (unsigned factor : rule.operands[0][dim])
          if (rule.factors[factor].kind == FactorKind::NeedReplication)
            rule.factors[factor].kind = FactorKind::PassThrough;
  }
  /// The axes of reduced dimensions that refineRule lets be split.
  static AxisList selectionAxes(stablehlo::ReduceOp op,
                                const LocalContext &context) {
    AxisList axes;
    for (int64_t dim : op.getDimensions())
      for (unsigned factor : context.rule.operands[0][dim])
        if (context.rule.factors[factor].kind == FactorKind::PassThrough)
          axes.append(context.factorAxes[factor].begin(),
                      context.factorAxes[factor].end());
    return axes;
  }
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    auto reduce = cast<stablehlo::ReduceOp>(op);
    if (AxisList split = selectionAxes(reduce, context); !split.empty())
      return splitSelection(reduce, context, split);
    AxisList axes = reductionAxes(context);
    unsigned inputs = op->getNumOperands() / 2;
    if (std::optional<Combiner> c = bodyCombiner(op->getRegion(0));
        c && !axes.empty())
      for (unsigned i = 0; i < inputs; ++i) {
        context.operands[i] = maskedForSum(context, i);
        bool idempotent = *c != Combiner::Sum && *c != Combiner::Product;
        if (!idempotent)
          context.operands[inputs + i] = keepOnFirstDevice(
              context, context.operands[inputs + i], axes, *c);
      }
    return cloneLocal(op, context);
  }
};

} // namespace

void partopt::lowering::registerContraction(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        DotGeneralModel::attach(context);
        ReduceModel::attach(context);
      });
}
