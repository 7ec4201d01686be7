// Local gather and scatter. A split indexed dimension is addressed relative to
// the shard: a gather masks the indices that other devices own and leaves an
// unreduced sum, a scatter drops them.

#include "ModelHelpers.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::lowering;

namespace {

/// Emits elementwise index arithmetic on tensors of one index type.
struct IndexMath {
  LocalContext &context;
  RankedTensorType type;

  stablehlo::ComparisonType comparison() const {
    return type.getElementType().isUnsignedInteger()
               ? stablehlo::ComparisonType::UNSIGNED
               : stablehlo::ComparisonType::SIGNED;
  }
  Value constant(int64_t value) const {
    return context.splat(type, IntegerAttr::get(type.getElementType(), value));
  }
  /// An i32 scalar, converted and broadcast.
  Value fromScalar(Value scalar) const {
    if (type.getElementType() != typeOf(scalar).getElementType())
      scalar = context.builder.create<stablehlo::ConvertOp>(
          context.loc, RankedTensorType::get({}, type.getElementType()),
          scalar);
    return context.broadcastScalar(scalar, type.getShape());
  }
  template <typename Op> Value apply(Value a, Value b) const {
    return context.builder.create<Op>(context.loc, type, a, b);
  }
  Value compare(Value a, Value b, stablehlo::ComparisonDirection dir) const {
    return context.builder.create<stablehlo::CompareOp>(context.loc, a, b, dir,
                                                        comparison());
  }
};

/// Which component of an index vector addresses operand dimension `dim`.
std::optional<unsigned> componentOf(ArrayRef<int64_t> map, int64_t dim) {
  auto it = llvm::find(map, dim);
  if (it == map.end())
    return std::nullopt;
  return it - map.begin();
}

/// Indices with component `component` replaced by `update(component slice)`.
/// Without an index vector dimension the whole tensor is the component.
template <typename Update>
Value updateComponent(LocalContext &context, Value indices, int64_t vectorDim,
                      unsigned component, Update update) {
  OpBuilder &b = context.builder;
  RankedTensorType type = typeOf(indices);
  if (vectorDim >= type.getRank() || type.getDimSize(vectorDim) == 1)
    return update(indices);
  SmallVector<Value> pieces;
  SmallVector<int64_t> ones(type.getRank(), 1);
  for (int64_t i = 0; i < type.getDimSize(vectorDim); ++i) {
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape());
    starts[vectorDim] = i;
    limits[vectorDim] = i + 1;
    SmallVector<int64_t> shape(type.getShape());
    shape[vectorDim] = 1;
    Value piece = b.create<stablehlo::SliceOp>(
        context.loc, RankedTensorType::get(shape, type.getElementType()),
        indices, b.getDenseI64ArrayAttr(starts), b.getDenseI64ArrayAttr(limits),
        b.getDenseI64ArrayAttr(ones));
    pieces.push_back(i == component ? update(piece) : piece);
  }
  return b.create<stablehlo::ConcatenateOp>(context.loc, type, pieces,
                                            b.getI64IntegerAttr(vectorDim));
}

/// A mask over indices (index vector dimension of size 1 or absent) without
/// that dimension.
Value dropVectorDim(LocalContext &context, Value mask, int64_t vectorDim) {
  RankedTensorType type = typeOf(mask);
  if (vectorDim >= type.getRank())
    return mask;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + vectorDim);
  return context.builder.create<stablehlo::ReshapeOp>(
      context.loc, RankedTensorType::get(shape, type.getElementType()), mask);
}

/// Indices in a signed type that holds every place of the operand: counted from
/// a shard's start they may be negative.
void widenIndices(LocalContext &context, Value &indices) {
  OpBuilder &b = context.builder;
  RankedTensorType type = typeOf(indices);
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  if (!isUnsigned && width >= 32)
    return;
  if (width == 64) {
    // What no signed type holds is out of bounds anyway.
    IndexMath math{context, type};
    indices = math.apply<stablehlo::MinOp>(
        indices, math.constant(std::numeric_limits<int64_t>::max()));
  }
  Type wide = width < 32 ? b.getI32Type() : b.getI64Type();
  indices = b.create<stablehlo::ConvertOp>(
      context.loc, RankedTensorType::get(type.getShape(), wide), indices);
}

struct GatherModel : Model<GatherModel, stablehlo::GatherOp> {
  SmallVector<LinearGroup, 2> getLinearGroups(Operation *, Combiner) const {
    return {{0}};
  }

  /// A dimension without index is read at 0, which the first shard owns.
  static Value onFirstShard(LocalContext &context, unsigned factor,
                            int64_t vectorDim) {
    SmallVector<int64_t> shape(typeOf(context.operands[1]).getShape());
    if (vectorDim < int64_t(shape.size()))
      shape.erase(shape.begin() + vectorDim);
    Value isFirst = context.builder.create<stablehlo::CompareOp>(
        context.loc, context.axisIndex(context.factorAxes[factor]),
        context.i32(0), stablehlo::ComparisonDirection::EQ,
        stablehlo::ComparisonType::SIGNED);
    return context.broadcastScalar(isFirst, shape);
  }

  static void require(LocalContext &context, Value &mask, Value term) {
    mask = mask ? context.builder.create<stablehlo::AndOp>(
                      context.loc, term.getType(), mask, term)
                : term;
  }

  /// Moves the indices of split dimension `dim` to the shard and returns the
  /// mask of those that it owns. StableHLO clamps to the whole dimension first.
  static Value shiftIndices(LocalContext &context, stablehlo::GatherOp gather,
                            int64_t dim, unsigned factor, Value &mask) {
    auto numbers = gather.getDimensionNumbers();
    unsigned component = *componentOf(numbers.getStartIndexMap(), dim);
    int64_t vectorDim = numbers.getIndexVectorDim();
    int64_t last = context.rule.factors[factor].size - 1;
    auto shift = [&](Value piece) {
      IndexMath math{context, typeOf(piece)};
      piece = math.apply<stablehlo::MaxOp>(piece, math.constant(0));
      piece = math.apply<stablehlo::MinOp>(piece, math.constant(last));
      Value offset = math.fromScalar(context.shardOffset(factor));
      Value end = math.apply<stablehlo::AddOp>(
          offset, math.constant(context.localSize(factor)));
      Value owned = context.builder.create<stablehlo::AndOp>(
          context.loc,
          RankedTensorType::get(math.type.getShape(),
                                context.builder.getI1Type()),
          math.compare(piece, offset, stablehlo::ComparisonDirection::GE),
          math.compare(piece, end, stablehlo::ComparisonDirection::LT));
      require(context, mask, dropVectorDim(context, owned, vectorDim));
      return math.apply<stablehlo::SubtractOp>(piece, offset);
    };
    return updateComponent(context, context.operands[1], vectorDim, component,
                           shift);
  }

  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    auto gather = cast<stablehlo::GatherOp>(op);
    auto numbers = gather.getDimensionNumbers();
    OpBuilder &b = context.builder;
    Value mask;
    widenIndices(context, context.operands[1]);
    for (auto [dim, factors] : llvm::enumerate(context.rule.operands[0]))
      for (unsigned factor : factors) {
        if (context.rule.factors[factor].kind != FactorKind::Reduction ||
            !context.isSplit(factor))
          continue;
        if (componentOf(numbers.getStartIndexMap(), dim))
          context.operands[1] =
              shiftIndices(context, gather, dim, factor, mask);
        else
          require(context, mask,
                  onFirstShard(context, factor, numbers.getIndexVectorDim()));
      }

    SmallVector<int64_t> sizes(gather.getSliceSizes());
    RankedTensorType global = typeOf(gather.getOperand());
    RankedTensorType local = typeOf(context.operands[0]);
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (size == global.getDimSize(dim) && size != 1)
        size = local.getDimSize(dim);
    Values values = cloneLocal(op, context);
    cast<stablehlo::GatherOp>(values[0].getDefiningOp()).setSliceSizes(sizes);
    if (!mask)
      return values;

    // The mask's dimensions are the result's dimensions outside offset_dims.
    SmallVector<int64_t> batchDims;
    RankedTensorType type = context.resultTypes[0];
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(numbers.getOffsetDims(), dim))
        batchDims.push_back(dim);
    Value wide = b.create<stablehlo::BroadcastInDimOp>(
        context.loc, RankedTensorType::get(type.getShape(), b.getI1Type()),
        mask, b.getDenseI64ArrayAttr(batchDims));
    // -0.0, since +0.0 would change the sign of a gathered -0.0.
    Attribute zero = combinerIdentity(type.getElementType(), Combiner::Sum);
    if (auto number = dyn_cast<FloatType>(type.getElementType()))
      zero = FloatAttr::get(number,
                            APFloat::getZero(number.getFloatSemantics(), true));
    return Values{b.create<stablehlo::SelectOp>(
        context.loc, type, wide, values[0], context.splat(type, zero))};
  }
};

struct ScatterModel : Model<ScatterModel, stablehlo::ScatterOp> {
  /// The update combiner when the body is one op on its two arguments.
  static bool sums(Operation *op) {
    Block &body = op->getRegion(0).front();
    return body.getNumArguments() == 2 && body.getOperations().size() == 2 &&
           isa<stablehlo::AddOp>(body.front());
  }

  SmallVector<LinearGroup, 2> getLinearGroups(Operation *op, Combiner c) const {
    if (op->getNumOperands() == 3 && c == Combiner::Sum && sums(op))
      return {{0, 2}};
    return {};
  }

  /// A device writes what falls into its part of an indexed dimension, so the
  /// updates' windows are whole there.
  void refineRule(Operation *op, ShardingRule &rule) const {
    auto scatter = cast<stablehlo::ScatterOp>(op);
    auto numbers = scatter.getScatterDimensionNumbers();
    unsigned inputs = scatter.getInputs().size();
    auto windowDims = numbers.getUpdateWindowDims().begin();
    for (int64_t dim = 0, e = rule.operands[0].size(); dim < e; ++dim) {
      if (llvm::is_contained(numbers.getInputBatchingDims(), dim))
        continue;
      bool isInserted =
          llvm::is_contained(numbers.getInsertedWindowDims(), dim);
      int64_t updateDim = isInserted ? -1 : *windowDims++;
      bool isIndexed =
          llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
      unsigned factor = rule.operands[0][dim].front();
      DimMapping *update =
          isInserted ? nullptr : &rule.operands[inputs + 1][updateDim];
      if (!isIndexed) {
        if (isInserted)
          rule.factors[factor].kind = FactorKind::NeedReplication;
        continue;
      }
      rule.factors[factor].kind = FactorKind::PassThrough;
      if (!update || !llvm::is_contained(*update, factor))
        continue;
      int64_t size = rule.factors[factor].size;
      unsigned whole = rule.addFactor(size, FactorKind::NeedReplication);
      for (unsigned i = 0; i < inputs; ++i)
        rule.operands[inputs + 1 + i][updateDim].assign({whole});
    }
  }

  FailureOr<Values> localize(Operation *op, LocalContext &context) const {
    auto scatter = cast<stablehlo::ScatterOp>(op);
    auto numbers = scatter.getScatterDimensionNumbers();
    unsigned inputs = scatter.getInputs().size();
    widenIndices(context, context.operands[inputs]);
    // Indices of a split dimension count from the shard's start; what falls
    // outside is dropped, as StableHLO defines.
    for (auto [dim, factors] : llvm::enumerate(context.rule.operands[0])) {
      std::optional<unsigned> component =
          componentOf(numbers.getScatterDimsToOperandDims(), dim);
      for (unsigned factor : factors) {
        if (!component || !context.isSplit(factor))
          continue;
        context.operands[inputs] = updateComponent(
            context, context.operands[inputs], numbers.getIndexVectorDim(),
            *component, [&](Value piece) {
              IndexMath math{context, typeOf(piece)};
              return math.apply<stablehlo::SubtractOp>(
                  piece, math.fromScalar(context.shardOffset(factor)));
            });
      }
    }
    AxisList axes = reductionAxes(context);
    if (!axes.empty())
      countOnce(context, inputs, axes);
    return scatterInto(op, context, roomForWindows(scatter, context));
  }

  /// The shape of a shard, enlarged where windows are longer than it.
  static SmallVector<int64_t> roomForWindows(stablehlo::ScatterOp scatter,
                                             LocalContext &context) {
    auto numbers = scatter.getScatterDimensionNumbers();
    SmallVector<int64_t> shape(typeOf(context.operands[0]).getShape());
    ArrayRef<int64_t> updates =
        typeOf(context.operands[scatter.getInputs().size() + 1]).getShape();
    auto windowDims = numbers.getUpdateWindowDims().begin();
    for (auto [dim, size] : llvm::enumerate(shape))
      if (!llvm::is_contained(numbers.getInsertedWindowDims(), int64_t(dim)) &&
          !llvm::is_contained(numbers.getInputBatchingDims(), int64_t(dim)))
        size = std::max(size, updates[*windowDims++]);
    return shape;
  }

  /// The scatter into inputs of `shape`, cut back to the shard.
  static Values scatterInto(Operation *op, LocalContext &context,
                            ArrayRef<int64_t> shape) {
    OpBuilder &b = context.builder;
    auto types = context.resultTypes;
    if (shape == types[0].getShape())
      return cloneLocal(op, context);
    SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1), high;
    for (auto [wide, size] : llvm::zip(shape, types[0].getShape()))
      high.push_back(wide - size);
    for (auto [i, type] : llvm::enumerate(types)) {
      Type element = type.getElementType();
      Value zero = context.splat(RankedTensorType::get({}, element),
                                 combinerIdentity(element, Combiner::Sum));
      context.resultTypes[i] = RankedTensorType::get(shape, element);
      context.operands[i] = b.create<stablehlo::PadOp>(
          context.loc, context.resultTypes[i], context.operands[i], zero,
          b.getDenseI64ArrayAttr(zeros), b.getDenseI64ArrayAttr(high),
          b.getDenseI64ArrayAttr(zeros));
    }
    Values values = cloneLocal(op, context);
    for (auto [value, type] : llvm::zip(values, types))
      value = b.create<stablehlo::SliceOp>(
          context.loc, type, value, b.getDenseI64ArrayAttr(zeros),
          b.getDenseI64ArrayAttr(type.getShape()),
          b.getDenseI64ArrayAttr(ones));
    return values;
  }

  /// Updates split over devices: each holds a partial result, so the operand
  /// counts on the first device only and padded updates are the identity.
  static void countOnce(LocalContext &context, unsigned inputs,
                        ArrayRef<AxisRef> axes) {
    for (unsigned i = 0; i < inputs; ++i) {
      unsigned update = inputs + 1 + i;
      Combiner combiner = Combiner::Sum;
      for (auto [dim, factors] : llvm::enumerate(context.rule.operands[update]))
        for (unsigned factor : factors) {
          const Factor &f = context.rule.factors[factor];
          if (f.kind != FactorKind::Reduction || !context.isSplit(factor))
            continue;
          combiner = f.combiner;
          context.operands[update] = context.maskPadding(
              context.operands[update], dim, factor, combiner);
        }
      context.operands[i] =
          keepOnFirstDevice(context, context.operands[i], axes, combiner);
    }
  }
};

} // namespace

void partopt::lowering::registerIndexing(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *) {
        GatherModel::attach(context);
        ScatterModel::attach(context);
      });
}
