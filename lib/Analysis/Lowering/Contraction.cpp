// Local forms of the ops that combine along dimensions: padding is masked by
// the combiner's identity, and an initial value is counted once.

#include "Selection.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

struct DotGeneralModel : Model<DotGeneralModel, stablehlo::DotGeneralOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (crossesProducts(op, c))
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

/// Ops that are linear in operand `linear`; each place of the batch is alone.
template <typename Op, unsigned linear>
struct BatchedModel : Model<BatchedModel<Op, linear>, Op> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (crossesProducts(op, c))
      return {{linear}};
    return {};
  }
};

struct CholeskyModel : Model<CholeskyModel, stablehlo::CholeskyOp> {};

} // namespace

void partopt::lowering::registerContraction(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        DotGeneralModel::attach(context);
        ReduceModel::attach(context);
        BatchedModel<stablehlo::FftOp, 0>::attach(context);
        CholeskyModel::attach(context);
        BatchedModel<stablehlo::TriangularSolveOp, 1>::attach(context);
      });
}
