// Local forms of convolution and select_and_scatter: batch, features and groups
// are split; a split sum over input features (or, in a weight gradient, over
// the batch) leaves an unreduced value. Windows do not cross shards, so a
// spatial dimension is whole unless its windows are points or the dimension
// itself.

#include "ModelHelpers.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

bool isMapped(const TensorMapping &mapping, ArrayRef<int64_t> dims,
              unsigned factor) {
  return llvm::any_of(dims, [&](int64_t dim) {
    return llvm::is_contained(mapping[dim], factor);
  });
}

struct ConvolutionModel : Model<ConvolutionModel, stablehlo::ConvolutionOp> {
  bool canSplit(Operation *op, const ShardingRule &rule,
                unsigned factor) const {
    auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
    return !isMapped(rule.operands[0], numbers.getInputSpatialDimensions(),
                     factor) &&
           !isMapped(rule.operands[1], numbers.getKernelSpatialDimensions(),
                     factor) &&
           !isMapped(rule.results[0], numbers.getOutputSpatialDimensions(),
                     factor);
  }

  /// Windows of one element pass through; one window that is the dimension
  /// itself is a sum like that of features.
  void refineRule(Operation *op, ShardingRule &rule) const {
    auto conv = cast<stablehlo::ConvolutionOp>(op);
    auto numbers = conv.getDimensionNumbers();
    for (auto [d, in] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
      if (rule.operands[0][in].size() != 1)
        continue;
      Factor &factor = rule.factors[rule.operands[0][in].front()];
      if (std::optional<FactorKind> kind = windowKind(conv, d))
        factor.kind = *kind;
    }
  }

  /// How spatial dimension `d` can be split, if it can.
  static std::optional<FactorKind> windowKind(stablehlo::ConvolutionOp conv,
                                              size_t d) {
    auto numbers = conv.getDimensionNumbers();
    auto sizeOf = [](Value value, int64_t dim) {
      return cast<RankedTensorType>(value.getType()).getDimSize(dim);
    };
    auto isOne = [&](std::optional<ArrayRef<int64_t>> list) {
      return !list || list->empty() || (*list)[d] == 1;
    };
    int64_t size =
        sizeOf(conv.getLhs(), numbers.getInputSpatialDimensions()[d]);
    int64_t taps =
        sizeOf(conv.getRhs(), numbers.getKernelSpatialDimensions()[d]);
    if (auto padding = conv.getPadding()) {
      auto values = padding->getValues<int64_t>();
      if (values[2 * d] != 0 || values[2 * d + 1] != 0)
        return std::nullopt;
    }
    if (!isOne(conv.getLhsDilation()))
      return std::nullopt;
    if (taps == 1 && isOne(conv.getWindowStrides()))
      return FactorKind::PassThrough;
    auto reversal = conv.getWindowReversal();
    bool isReversed = reversal && !reversal->empty() && (*reversal)[d];
    if (taps == size && !isReversed && isOne(conv.getRhsDilation()))
      return FactorKind::Reduction;
    return std::nullopt;
  }

  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    Type element =
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    if (c == Combiner::Sum && !element.isF16() && !element.isInteger(1))
      return {{0}, {1}};
    return {};
  }

  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    auto conv = cast<stablehlo::ConvolutionOp>(op);
    auto numbers = conv.getDimensionNumbers();
    // Both sides: padding times zero may still be NaN.
    for (unsigned i = 0; i < 2; ++i)
      context.operands[i] = maskedForSum(context, i);
    Values values = cloneLocal(op, context);
    auto local = cast<stablehlo::ConvolutionOp>(values[0].getDefiningOp());
    auto sizeOf = [](Value value, int64_t dim) {
      return cast<RankedTensorType>(value.getType()).getDimSize(dim);
    };
    // What is left of the groups follows from the sizes.
    if (conv.getFeatureGroupCount() > 1) {
      int64_t inputs =
          sizeOf(local.getRhs(), numbers.getKernelInputFeatureDimension());
      int64_t features =
          sizeOf(local.getLhs(), numbers.getInputFeatureDimension());
      if (inputs > 0)
        local.setFeatureGroupCount(std::max<int64_t>(features / inputs, 1));
    }
    if (conv.getBatchGroupCount() > 1) {
      int64_t batch =
          sizeOf(local.getResult(), numbers.getOutputBatchDimension());
      int64_t all = sizeOf(local.getLhs(), numbers.getInputBatchDimension());
      if (batch > 0)
        local.setBatchGroupCount(std::max<int64_t>(all / batch, 1));
    }
    return values;
  }
};

struct SelectAndScatterModel
    : Model<SelectAndScatterModel, stablehlo::SelectAndScatterOp> {
  /// Scattered sums are linear in what is scattered and in what is there.
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (c == Combiner::Sum && bodyCombiner(op->getRegion(1)) == c)
      return {{1, 2}};
    return {};
  }
};

} // namespace

void partopt::lowering::registerWindows(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        ConvolutionModel::attach(context);
        SelectAndScatterModel::attach(context);
      });
}
