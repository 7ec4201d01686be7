// Local forms of the ops that move or make data without arithmetic: the same op
// with its sizes and offsets taken from the shard.

#include "ModelHelpers.h"

#include "dialects/Comm/Comm.h"
#include "partopt/Analysis/LayoutConversion.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Ops that only re-arrange their first operand: linear for every combiner.
template <typename Op> struct Rearrange : Model<Rearrange<Op>, Op> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0}};
  }
};

/// The bits of a shard; bits of partial sums are not parts of a sum's bits.
struct BitcastModel : Model<BitcastModel, stablehlo::BitcastConvertOp> {};

/// True when `factor` is part of a dimension of some of `tensors`.
bool isIn(ArrayRef<TensorMapping> tensors, unsigned factor) {
  return llvm::any_of(tensors, [&](const TensorMapping &dims) {
    return llvm::any_of(dims, [&](const DimMapping &factors) {
      return llvm::is_contained(factors, factor);
    });
  });
}

struct ReshapeModel : Model<ReshapeModel, stablehlo::ReshapeOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0}};
  }
  /// Elements of a factor that one side does not have are all over the other.
  bool canSplit(Operation *, const ShardingRule &rule, unsigned factor) const {
    return isIn(rule.operands, factor) && isIn(rule.results, factor);
  }
};

struct ConcatenateModel : Model<ConcatenateModel, stablehlo::ConcatenateOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner) const {
    LinearGroup all;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      all.push_back(i);
    return {all};
  }
};

/// Dimensions that were taken whole are taken whole of the shard.
struct SliceModel : Model<SliceModel, stablehlo::SliceOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0}};
  }
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    auto slice = cast<stablehlo::SliceOp>(op);
    ArrayRef<int64_t> global = shapeOf(op->getOperand(0));
    ArrayRef<int64_t> local = shapeOf(context.operands[0]);
    SmallVector<int64_t> limits(slice.getLimitIndices());
    for (auto [dim, limit] : llvm::enumerate(limits))
      if (local[dim] != global[dim])
        limit = local[dim];
    return Values{context.builder.create<stablehlo::SliceOp>(
        context.loc, context.resultTypes[0], context.operands[0],
        slice.getStartIndicesAttr(),
        context.builder.getDenseI64ArrayAttr(limits), slice.getStridesAttr())};
  }
};

struct DynamicSliceModel : Model<DynamicSliceModel, stablehlo::DynamicSliceOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0}};
  }
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    Values values = cloneLocal(op, context);
    cast<stablehlo::DynamicSliceOp>(values[0].getDefiningOp())
        .setSliceSizes(context.resultTypes[0].getShape());
    return values;
  }
};

struct DynamicUpdateSliceModel
    : Model<DynamicUpdateSliceModel, stablehlo::DynamicUpdateSliceOp> {
  /// Only dimensions that the update covers: elsewhere it may cross shards.
  bool canSplit(Operation *, const ShardingRule &rule, unsigned factor) const {
    return llvm::any_of(rule.operands[1], [&](const DimMapping &factors) {
      return llvm::is_contained(factors, factor);
    });
  }
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0, 1}};
  }
};

struct PadModel : Model<PadModel, stablehlo::PadOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0, 1}};
  }
};

/// A split iota counts from where the shard starts.
struct IotaModel : Model<IotaModel, stablehlo::IotaOp> {
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    Values values = cloneLocal(op, context);
    auto dim = cast<stablehlo::IotaOp>(op).getIotaDimension();
    unsigned factor = context.rule.results[0][dim].front();
    if (!context.isSplit(factor))
      return values;
    OpBuilder &b = context.builder;
    RankedTensorType type = context.resultTypes[0];
    Value offset = context.shardOffset(factor);
    if (type.getElementType() != b.getI32Type())
      offset = b.create<stablehlo::ConvertOp>(
          context.loc, RankedTensorType::get({}, type.getElementType()),
          offset);
    offset = context.broadcastScalar(offset, type.getShape());
    return Values{
        b.create<stablehlo::AddOp>(context.loc, type, values[0], offset)};
  }
};

/// A splat stays a splat; other constants are cut.
struct ConstantModel : Model<ConstantModel, stablehlo::ConstantOp> {
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    OpBuilder &b = context.builder;
    auto elements =
        dyn_cast<DenseElementsAttr>(cast<stablehlo::ConstantOp>(op).getValue());
    RankedTensorType type = context.resultTypes[0];
    if (elements && elements.isSplat())
      return Values{context.splat(type, elements.getSplatValue<Attribute>())};
    Value value = b.clone(*op)->getResult(0);
    dropShardings(value.getDefiningOp());
    for (auto [dim, axes] : llvm::enumerate(
             projectToDims(context.rule.results[0], context.factorAxes))) {
      if (axes.empty())
        continue;
      SmallVector<int64_t> shape(shapeOf(value));
      shape[dim] = type.getShape()[dim];
      value = b.create<comm::ShardOp>(
          context.loc, RankedTensorType::get(shape, type.getElementType()),
          toCommAxes(b.getContext(), context.mesh, axes), dim, value);
    }
    return Values{value};
  }
};

} // namespace

void partopt::lowering::registerShape(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        Rearrange<stablehlo::BroadcastInDimOp>::attach(context);
        BitcastModel::attach(context);
        ReshapeModel::attach(context);
        Rearrange<stablehlo::OptimizationBarrierOp>::attach(context);
        Rearrange<stablehlo::TransposeOp>::attach(context);
        Rearrange<stablehlo::ReverseOp>::attach(context);
        ConcatenateModel::attach(context);
        SliceModel::attach(context);
        DynamicSliceModel::attach(context);
        DynamicUpdateSliceModel::attach(context);
        PadModel::attach(context);
        IotaModel::attach(context);
        ConstantModel::attach(context);
      });
}
