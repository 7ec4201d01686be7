// Linearity of the elementwise ops: which of them let an unreduced value pass.

#include "ModelHelpers.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

/// combine(x, y) op'd elementwise with the same combiner: linear in both.
template <typename Op, Combiner kind>
struct CombinerModel : Model<CombinerModel<Op, kind>, Op> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner c) const {
    if (c == kind)
      return {{0, 1}};
    return {};
  }
};

struct SubtractModel : Model<SubtractModel, stablehlo::SubtractOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner c) const {
    if (c == Combiner::Sum)
      return {{0, 1}};
    return {};
  }
};

struct NegateModel : Model<NegateModel, stablehlo::NegOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner c) const {
    if (c == Combiner::Sum)
      return {{0}};
    return {};
  }
};

struct MultiplyModel : Model<MultiplyModel, stablehlo::MulOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (crossesProducts(op, c))
      return {{0}, {1}};
    return {};
  }
};

struct DivideModel : Model<DivideModel, stablehlo::DivOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    Type element =
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    // Integer division rounds, so it does not distribute.
    if (crossesProducts(op, c) && !isa<IntegerType>(element))
      return {{0}};
    return {};
  }
};

/// A select passes what it selects; its predicate is equal on all devices of
/// the unreduced axes, since no other operand may differ there.
struct SelectModel : Model<SelectModel, stablehlo::SelectOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{1, 2}};
  }
};

/// Only to a type that holds every value of the source: rounding each part
/// differs from rounding the whole.
struct ConvertModel : Model<ConvertModel, stablehlo::ConvertOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner) const {
    auto from = dyn_cast<FloatType>(
        cast<RankedTensorType>(op->getOperand(0).getType()).getElementType());
    auto to = dyn_cast<FloatType>(
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    if (!from || !to)
      return {};
    bool same = from == to;
    bool wider = to.getWidth() > from.getWidth() && to.getWidth() >= 32;
    if (same || wider)
      return {{0}};
    return {};
  }
};

} // namespace

void partopt::lowering::registerElementwise(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        CombinerModel<stablehlo::AddOp, Combiner::Sum>::attach(context);
        CombinerModel<stablehlo::MaxOp, Combiner::Max>::attach(context);
        CombinerModel<stablehlo::MinOp, Combiner::Min>::attach(context);
        CombinerModel<stablehlo::AndOp, Combiner::And>::attach(context);
        CombinerModel<stablehlo::OrOp, Combiner::Or>::attach(context);
        SubtractModel::attach(context);
        NegateModel::attach(context);
        MultiplyModel::attach(context);
        DivideModel::attach(context);
        SelectModel::attach(context);
        ConvertModel::attach(context);
      });
}
