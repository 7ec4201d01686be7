// Local forms of the ops for which the order along a dimension matters: scans,
// sorts, top_k. A split scan passes the totals of the shards on, a split top_k
// its candidates; a sorted dimension is whole.

#include "Selection.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/Windows.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

/// A scan along a split dimension.
class SplitScan {
public:
  SplitScan(stablehlo::ReduceWindowOp op, LocalContext &context,
            stablehlo::Scan scan, unsigned factor)
      : op(op), context(context), b(context.builder), scan(scan),
        factor(factor),
        combiner(*divisibleCombiner(op.getBody(), op.getInitValues())) {}

  Values run() {
    unsigned inputs = op.getInputs().size();
    // Backwards, padding comes first.
    if (scan.isReverse)
      for (unsigned i = 0; i < inputs; ++i)
        context.operands[i] = context.maskPadding(context.operands[i], scan.dim,
                                                  factor, combiner);
    Values local = scanned();
    Values out;
    for (auto [i, value] : llvm::enumerate(local)) {
      Value totals =
          allGather(context, lastOf(value), context.factorAxes[factor],
                    scan.dim, "passes the totals of a scan's shards on");
      out.push_back(combined(i, before(i, totals), value));
    }
    return out;
  }

private:
  Values scanned() {
    Values values = cloneLocal(op, context);
    auto local = values[0].getDefiningOp<stablehlo::ReduceWindowOp>();
    int64_t size = typeOf(context.operands[0]).getDimSize(scan.dim);
    SmallVector<int64_t> sizes(op.getWindowDimensions());
    sizes[scan.dim] = size;
    local.setWindowDimensions(sizes);
    auto padding = llvm::to_vector(op.getPadding()->getValues<int64_t>());
    padding[2 * scan.dim + scan.isReverse] = size - 1;
    local.setPaddingAttr(DenseIntElementsAttr::get(
        cast<RankedTensorType>(op.getPadding()->getType()), padding));
    return values;
  }

  /// The scan's last value, of all of the shard.
  Value lastOf(Value value) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
        ones(type.getRank(), 1);
    int64_t at = scan.isReverse ? 0 : limits[scan.dim] - 1;
    starts[scan.dim] = at;
    limits[scan.dim] = at + 1;
    return b.create<stablehlo::SliceOp>(
        context.loc, resized(value, scan.dim, 1), value,
        b.getDenseI64ArrayAttr(starts), b.getDenseI64ArrayAttr(limits),
        b.getDenseI64ArrayAttr(ones));
  }

  /// What the shards before this one come to.
  Value before(unsigned i, Value totals) {
    RankedTensorType type = typeOf(totals);
    auto positions = RankedTensorType::get(type.getShape(), b.getI32Type());
    Value shard = b.create<stablehlo::IotaOp>(context.loc, positions,
                                              b.getI64IntegerAttr(scan.dim));
    Value own = context.broadcastScalar(
        context.axisIndex(context.factorAxes[factor]), type.getShape());
    Value counts = b.create<stablehlo::CompareOp>(
        context.loc, shard, own,
        scan.isReverse ? stablehlo::ComparisonDirection::GT
                       : stablehlo::ComparisonDirection::LT,
        stablehlo::ComparisonType::SIGNED);
    Value identity =
        context.splat(type, combinerIdentity(type.getElementType(), combiner));
    Value chosen = b.create<stablehlo::SelectOp>(context.loc, type, counts,
                                                 totals, identity);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + scan.dim);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value init = context.splat(
        scalar, combinerIdentity(type.getElementType(), combiner));
    auto reduce = b.create<stablehlo::ReduceOp>(
        context.loc,
        TypeRange{RankedTensorType::get(shape, type.getElementType())},
        ValueRange{chosen}, ValueRange{init},
        b.getDenseI64ArrayAttr({scan.dim}));
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getBody(), {}, {scalar, scalar},
                                {context.loc, context.loc});
    Value result = apply(i, body->getArgument(0), body->getArgument(1));
    b.create<stablehlo::ReturnOp>(context.loc, result);
    return reduce->getResult(0);
  }

  Value combined(unsigned i, Value before, Value local) {
    RankedTensorType type = typeOf(local);
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != scan.dim)
        dims.push_back(dim);
    Value wide = b.create<stablehlo::BroadcastInDimOp>(
        context.loc, type, before, b.getDenseI64ArrayAttr(dims));
    return apply(i, wide, local);
  }

  /// The body's op for operand `i` on tensors of any shape.
  Value apply(unsigned i, Value lhs, Value rhs) {
    Operation *scalar =
        op.getBody().front().getTerminator()->getOperand(i).getDefiningOp();
    OperationState state(context.loc, scalar->getName());
    state.addOperands({lhs, rhs});
    state.addTypes(lhs.getType());
    return b.create(state)->getResult(0);
  }

  stablehlo::ReduceWindowOp op;
  LocalContext &context;
  OpBuilder &b;
  stablehlo::Scan scan;
  unsigned factor;
  Combiner combiner;
};

struct ReduceWindowModel : Model<ReduceWindowModel, stablehlo::ReduceWindowOp> {
  /// The factor of the scanned dimension of a scan that may be split.
  static std::optional<unsigned> scanFactor(Operation *op,
                                            const ShardingRule &rule) {
    auto window = cast<stablehlo::ReduceWindowOp>(op);
    std::optional<stablehlo::Scan> scan = stablehlo::scanOf(window);
    if (!scan || !divisibleCombiner(window.getBody(), window.getInitValues()) ||
        rule.operands[0][scan->dim].size() != 1)
      return std::nullopt;
    return rule.operands[0][scan->dim].front();
  }
  void refineRule(Operation *op, ShardingRule &rule) const {
    if (std::optional<unsigned> factor = scanFactor(op, rule))
      rule.factors[*factor].kind = FactorKind::PassThrough;
  }
  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    std::optional<unsigned> factor = scanFactor(op, context.rule);
    if (!factor || !context.isSplit(*factor))
      return cloneLocal(op, context);
    auto window = cast<stablehlo::ReduceWindowOp>(op);
    return SplitScan(window, context, *stablehlo::scanOf(window), *factor)
        .run();
  }
};

//===----------------------------------------------------------------------===//
// sort, top_k
//===----------------------------------------------------------------------===//

struct SortModel : Model<SortModel, stablehlo::SortOp> {};

/// Every device offers its best k.
struct TopKModel : Model<TopKModel, chlo::TopKOp> {
  /// The operand's last dimension gets a factor of its own: the results have
  /// theirs whole.
  void refineRule(Operation *op, ShardingRule &rule) const {
    int64_t k = typeOf(op->getResult(0)).getShape().back();
    unsigned chosen = rule.addFactor(k, FactorKind::NeedReplication);
    for (TensorMapping &mapping : rule.results)
      mapping.back().assign({chosen});
    Factor &factor = rule.factors[rule.operands[0].back().front()];
    factor.kind = FactorKind::PassThrough;
    factor.blocked = false;
  }

  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    unsigned factor = context.rule.operands[0].back().front();
    if (!context.isSplit(factor))
      return cloneLocal(op, context);
    int64_t dim = typeOf(op->getOperand(0)).getRank() - 1;
    int64_t k = context.resultTypes[0].getDimSize(dim);
    int64_t offered = std::min(k, typeOf(context.operands[0]).getDimSize(dim));
    Value operand = lowestPadding(context, context.operands[0], dim, factor);
    auto best = topK(context, operand, offered);
    Value places = shifted(context, best.getIndices(), factor);
    auto gathered = [&](Value value) {
      return allGather(context, value, context.factorAxes[factor], dim,
                       "offers every shard's best to a top_k");
    };
    auto chosen = topK(context, gathered(best.getValues()), k);
    return Values{chosen.getValues(),
                  taken(context, gathered(places), chosen.getIndices())};
  }

private:
  static chlo::TopKOp topK(LocalContext &context, Value operand, int64_t k) {
    int64_t dim = typeOf(operand).getRank() - 1;
    auto values = resized(operand, dim, k);
    auto indices = RankedTensorType::get(
        values.getShape(), context.resultTypes[1].getElementType());
    return context.builder.create<chlo::TopKOp>(
        context.loc, TypeRange{values, indices}, operand,
        context.builder.getI64IntegerAttr(k));
  }

  /// The smallest value in the total order: of its equals, padding is last.
  static Value lowestPadding(LocalContext &context, Value value, int64_t dim,
                             unsigned factor) {
    if (!context.isUneven(factor))
      return value;
    RankedTensorType type = typeOf(value);
    Attribute lowest = combinerIdentity(type.getElementType(), Combiner::Max);
    if (auto number = dyn_cast<FloatType>(type.getElementType()))
      lowest =
          FloatAttr::get(number, APFloat(number.getFloatSemantics(),
                                         APInt::getAllOnes(number.getWidth())));
    Value mask = context.validMask(factor, type.getShape(), dim);
    return context.builder.create<stablehlo::SelectOp>(
        context.loc, type, mask, value, context.splat(type, lowest));
  }

  /// Places in the shard to places in the whole.
  static Value shifted(LocalContext &context, Value places, unsigned factor) {
    OpBuilder &b = context.builder;
    RankedTensorType type = typeOf(places);
    Value offset = context.shardOffset(factor);
    if (type.getElementType() != b.getI32Type())
      offset = b.create<stablehlo::ConvertOp>(
          context.loc, RankedTensorType::get({}, type.getElementType()),
          offset);
    return b.create<stablehlo::AddOp>(
        context.loc, type, places,
        context.broadcastScalar(offset, type.getShape()));
  }

  /// values[..., at[..., i]].
  static Value taken(LocalContext &context, Value values, Value at) {
    OpBuilder &b = context.builder;
    int64_t dim = typeOf(values).getRank() - 1;
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, dim));
    auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
        b.getContext(), {}, {dim}, batch, batch, {dim}, dim + 1);
    SmallVector<int64_t> sizes;
    for (int64_t size : typeOf(values).getShape())
      sizes.push_back(std::min<int64_t>(size, 1));
    return b.create<stablehlo::GatherOp>(context.loc, at.getType(), values, at,
                                         numbers, b.getDenseI64ArrayAttr(sizes),
                                         b.getBoolAttr(false));
  }
};

} // namespace

void partopt::lowering::registerOrdered(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        ReduceWindowModel::attach(context);
        SortModel::attach(context);
      });
  registry.addExtension(+[](MLIRContext *context, chlo::ChloDialect *) {
    TopKModel::attach(context);
  });
}
