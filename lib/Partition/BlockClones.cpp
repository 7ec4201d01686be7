// See BlockClones.h. Masks are made from positions in the block, never for all
// keys; what is not computed from positions is cut out.

#include "BlockClones.h"

#include "RowSlices.h"

#include "partopt/Analysis/LocalLowering.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value partopt::splatOf(OpBuilder &b, Location loc, RankedTensorType type,
                       Attribute element) {
  return b.create<stablehlo::ConstantOp>(loc, type,
                                         DenseElementsAttr::get(type, element));
}

Value partopt::addStart(OpBuilder &b, Location loc, Value value, Value start) {
  RankedTensorType type = typeOf(value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  if (start.getType() != scalar)
    start = b.create<stablehlo::ConvertOp>(loc, scalar, start);
  start = b.create<stablehlo::BroadcastInDimOp>(loc, type, start,
                                                b.getDenseI64ArrayAttr({}));
  return b.create<stablehlo::AddOp>(loc, type, value, start);
}

Value partopt::keepBelow(OpBuilder &b, Location loc, Value value, int64_t dim,
                         Value start, int64_t end, Attribute other) {
  RankedTensorType type = typeOf(value);
  Value below = positionsBelow(b, loc, type.getShape(), dim, start, end);
  return b.create<stablehlo::SelectOp>(loc, below, value,
                                       splatOf(b, loc, type, other));
}

BlockPlace BlockClones::placeOf(Value value) const {
  BlockPlace place;
  if (auto at = core.keyDim.find(value); at != core.keyDim.end())
    place.key = at->second;
  auto at = core.queryDim.find(value);
  if (range.queries > 0 && at != core.queryDim.end())
    place.query = at->second;
  return place;
}

RankedTensorType BlockClones::typeIn(Value value, BlockPlace place) const {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  if (place.key >= 0)
    shape[place.key] = range.keys;
  if (place.query >= 0)
    shape[place.query] = range.queries;
  return type.clone(shape);
}

/// Computed anew from a value's elements in the range.
static bool isLight(Operation *op) {
  return op &&
         (isa<stablehlo::IotaOp, stablehlo::ConstantOp,
              stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
              stablehlo::ReshapeOp, stablehlo::OptimizationBarrierOp>(op) ||
          (op->hasTrait<stablehlo::Elementwise>() && op->getNumResults() == 1));
}

/// True where a value without keys is computed anew from positions, from what
/// is the same for all queries, and from rows that are at hand.
bool BlockClones::canCompute(Value value, int64_t query) {
  if (rows->has(value, query))
    return false;
  Operation *op = value.getDefiningOp();
  if (!isLight(op) || isa<stablehlo::OptimizationBarrierOp>(op))
    return false;
  auto rule = getShardingRule(op);
  if (!rule || !soleFactorOf(rule->results[0], query))
    return false;
  return llvm::all_of(llvm::enumerate(op->getOperands()), [&](auto operand) {
    auto dim =
        dimAcross(rule->results[0], rule->operands[operand.index()], query);
    return !dim || rows->has(operand.value(), *dim) ||
           canCompute(operand.value(), *dim);
  });
}

Value BlockClones::get(Value value, BlockPlace place) {
  if (place.key < 0 && place.query < 0)
    return value;
  auto key =
      std::make_tuple(value.getAsOpaquePointer(), place.key, place.query);
  if (auto at = known.find(key); at != known.end())
    return at->second;
  bool isCore = core.keyDim.contains(value);
  bool clones = isCore || (place.key >= 0 ? isLight(value.getDefiningOp())
                                          : canCompute(value, place.query));
  Value part = clones ? again(value, place) : cut(value, place);
  if (value == core.scores && core.isUneven())
    part = dropKeysBehindEnd(part, place.key);
  return known[key] = part;
}

Value BlockClones::again(Value value, BlockPlace place) {
  Operation *op = value.getDefiningOp();
  if (isa<stablehlo::OptimizationBarrierOp>(op))
    return get(op->getOperand(cast<OpResult>(value).getResultNumber()), place);
  if (auto positions = dyn_cast<stablehlo::IotaOp>(op))
    return iota(positions, place);
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return cut(value, place);
    return splatOf(b, loc, typeIn(value, place),
                   elements.getSplatValue<Attribute>());
  }
  auto rule = getShardingRule(op);
  auto factorOf = [&](int64_t dim) {
    return rule && dim >= 0 ? soleFactorOf(rule->results[0], dim)
                            : std::nullopt;
  };
  std::optional<unsigned> key = factorOf(place.key),
                          query = factorOf(place.query);
  if (key.has_value() != (place.key >= 0) ||
      query.has_value() != (place.query >= 0))
    return cut(value, place);
  // A gradient of keys sums over the queries.
  if (core.keyDim.contains(value) && !query)
    query = queryFactor(op, *rule);
  return cloneAlong(op, *rule, key, query);
}

Value BlockClones::iota(stablehlo::IotaOp op, BlockPlace place) {
  int64_t dim = op.getIotaDimension();
  Value made = b.create<stablehlo::IotaOp>(op.getLoc(), typeIn(op, place), dim);
  if (dim == place.key)
    return addStart(b, op.getLoc(), made, range.keyStart);
  if (dim == place.query)
    return addStart(b, op.getLoc(), made, range.queryStart);
  return made;
}

/// The range of a value that exists whole.
Value BlockClones::cut(Value value, BlockPlace place) {
  if (place.query >= 0)
    value = rows->get(value, place.query);
  if (place.key < 0)
    return value;
  RankedTensorType type = typeOf(value);
  int64_t missing = core.devices * core.width - core.keys;
  if (missing > 0) {
    SmallVector<int64_t> zeros(type.getRank(), 0), high(type.getRank(), 0),
        shape(type.getShape());
    high[place.key] = missing;
    shape[place.key] += missing;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    value = b.create<stablehlo::PadOp>(
        loc, type.clone(shape), value,
        splatOf(b, loc, scalar, b.getZeroAttr(type.getElementType())),
        b.getDenseI64ArrayAttr(zeros), b.getDenseI64ArrayAttr(high),
        b.getDenseI64ArrayAttr(zeros));
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[place.key] = range.keys;
  SmallVector<Value> starts(type.getRank(), indexConstant(b, loc, 0));
  starts[place.key] = range.keyStart;
  return b.create<stablehlo::DynamicSliceOp>(
      loc, type.clone(shape), value, starts, b.getDenseI64ArrayAttr(shape));
}

Value BlockClones::dropKeysBehindEnd(Value scores, int64_t dim) {
  return keepBelow(
      b, loc, scores, dim, range.keyStart, core.keys,
      combinerIdentity(typeOf(scores).getElementType(), Combiner::Max));
}

std::optional<unsigned> BlockClones::queryFactor(Operation *op,
                                                 const ShardingRule &rule) {
  std::optional<unsigned> query;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule.operands))
    if (int64_t dim = placeOf(operand).query; dim >= 0)
      query = soleFactorOf(mapping, dim);
  return query;
}

Value BlockClones::clone(Operation *op) {
  auto rule = getShardingRule(op);
  std::optional<unsigned> key;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule->operands))
    if (int64_t dim = placeOf(operand).key; dim >= 0)
      key = soleFactorOf(mapping, dim);
  return cloneAlong(op, *rule, key, queryFactor(op, *rule));
}

Value BlockClones::cloneAlong(Operation *op, const ShardingRule &rule,
                              std::optional<unsigned> key,
                              std::optional<unsigned> query) {
  auto placeIn = [&](const TensorMapping &mapping) {
    BlockPlace place;
    if (key)
      place.key = dimOfFactor(mapping, *key).value_or(-1);
    if (query)
      place.query = dimOfFactor(mapping, *query).value_or(-1);
    return place;
  };
  IRMapping map;
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule.operands))
    if (!map.contains(operand))
      map.map(operand, get(operand, placeIn(mapping)));
  Operation *made = b.clone(*op, map);
  Value result = made->getResult(0);
  result.setType(typeIn(op->getResult(0), placeIn(rule.results[0])));
  return result;
}
