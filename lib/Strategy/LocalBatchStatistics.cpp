// Batch statistics of each device's own rows, as PyTorch's data parallel
// training has them without synchronised batch norm. The program is rewritten,
// not only annotated: rows come in as many groups as the axis has devices,
// every statistic that is spread over the batch again is computed per group,
// and propagation finds that no group needs another device. The result is an
// ordinary program that means the same on any number of devices.

#include "StatisticRegion.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Strategy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_LOCALBATCHSTATISTICSPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

using namespace partopt::stablehlo;
using Dims = SmallVector<int64_t>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The one number that all elements of `value` are, from constants alone.
std::optional<double> numberOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return std::nullopt;
    if (isa<FloatType>(elements.getElementType()))
      return elements.getSplatValue<APFloat>().convertToDouble();
    if (isa<IntegerType>(elements.getElementType()))
      return double(elements.getSplatValue<APInt>().getSExtValue());
    return std::nullopt;
  }
  if (isa<BroadcastInDimOp, ReshapeOp, ConvertOp>(op))
    return numberOf(op->getOperand(0));
  if (!isa<AddOp, SubtractOp, MulOp>(op))
    return std::nullopt;
  std::optional<double> x = numberOf(op->getOperand(0));
  std::optional<double> y = numberOf(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  return isa<AddOp>(op) ? *x + *y : isa<MulOp>(op) ? *x * *y : *x - *y;
}

class Rewrite {
public:
  Rewrite(func::FuncOp func, int64_t groups)
      : groups(groups), statistics(func, groups), b(func.getContext()),
        firstSource(func.getLoc()) {}

  LogicalResult run();
  unsigned numStatistics() const { return statistics.sources.size(); }
  /// After run(), which erases the statistics' own ops.
  Location firstLoc() const { return firstSource; }

private:
  bool isInRegion(Value value) const {
    return value.getDefiningOp() &&
           statistics.ops.contains(value.getDefiningOp());
  }
  Value grouped(Value value, Operation *user);
  std::optional<double> localCount(Value operand, Operation *user) const;
  void groupSource(ReduceOp op);
  void groupOp(Operation *op);
  void spread(BroadcastInDimOp op);
  Value first(Value value);
  Type withGroups(Type type) const {
    Dims shape{groups};
    llvm::append_range(shape, cast<RankedTensorType>(type).getShape());
    return RankedTensorType::get(shape,
                                 cast<RankedTensorType>(type).getElementType());
  }
  /// `type` with dimension `dim` as groups of rows.
  RankedTensorType split(RankedTensorType type, int64_t dim) const {
    Dims shape(type.getShape());
    shape[dim] /= groups;
    shape.insert(shape.begin() + dim, groups);
    return RankedTensorType::get(shape, type.getElementType());
  }

  int64_t groups;
  StatisticRegion statistics;
  OpBuilder b;
  Location firstSource;
  /// How many elements a statistic's sums are over.
  llvm::DenseMap<Value, double> counts;
  llvm::DenseMap<Value, Value> inGroups;
};

/// What stands for the number of summed elements (or one less, or its inverse)
/// in the whole batch, for one group.
std::optional<double> Rewrite::localCount(Value operand,
                                          Operation *user) const {
  auto it = counts.find(user->getOperand(0));
  if (it == counts.end())
    it = counts.find(user->getOperand(user->getNumOperands() - 1));
  std::optional<double> number = numberOf(operand);
  if (it == counts.end() || !number)
    return std::nullopt;
  double count = it->second, own = count / groups;
  auto near = [&](double x) { return std::abs(*number - x) <= 1e-6 * x; };
  if (isa<DivOp>(user) && near(count))
    return own;
  if (isa<DivOp>(user) && count > 1 && *number == count - 1)
    return own - 1;
  if (isa<MulOp>(user) && count > 0 && near(1 / count))
    return 1 / own;
  return std::nullopt;
}

/// An operand of a region op with the groups as dimension 0.
Value Rewrite::grouped(Value value, Operation *user) {
  if (Value known = inGroups.lookup(value))
    return known;
  RankedTensorType type = typeOf(value);
  auto wide = cast<RankedTensorType>(withGroups(type));
  if (std::optional<double> own = localCount(value, user))
    if (isa<FloatType>(type.getElementType()))
      return b.create<ConstantOp>(
          user->getLoc(), wide,
          DenseElementsAttr::get(
              wide, Attribute(b.getFloatAttr(type.getElementType(), *own))));
  Dims dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims.push_back(dim + 1);
  return b.create<BroadcastInDimOp>(user->getLoc(), wide, value,
                                    b.getDenseI64ArrayAttr(dims));
}

void Rewrite::groupSource(ReduceOp op) {
  Value input = op.getInputs()[0];
  int64_t dim = *statistics.batch.dimOf(input);
  Location loc = op.getLoc();
  Value rows = b.create<ReshapeOp>(loc, split(typeOf(input), dim), input);
  Dims dims, shape, order;
  int64_t at = 0; // of the groups in the result
  for (int64_t old : op.getDimensions())
    dims.push_back(old >= dim ? old + 1 : old);
  for (int64_t i = 0; i < typeOf(rows).getRank(); ++i) {
    if (i == dim)
      at = shape.size();
    if (!llvm::is_contained(dims, i))
      shape.push_back(typeOf(rows).getDimSize(i));
  }
  Operation *clone = b.clone(*op);
  clone->removeAttr("sdy.sharding");
  auto local = cast<ReduceOp>(clone);
  local->setOperand(0, rows);
  local.setDimensions(dims);
  Type element = typeOf(input).getElementType();
  local.getResult(0).setType(RankedTensorType::get(shape, element));
  Value value = local.getResult(0);
  if (at != 0) {
    order.push_back(at);
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      if (i != at)
        order.push_back(i);
    value = b.create<TransposeOp>(loc, withGroups(op.getResult(0).getType()),
                                  value, b.getDenseI64ArrayAttr(order));
  }
  inGroups[op.getResult(0)] = value;
  counts[op.getResult(0)] = double(typeOf(input).getNumElements()) /
                            typeOf(op.getResult(0)).getNumElements();
}

void Rewrite::groupOp(Operation *op) {
  auto shifted = [&](ArrayRef<int64_t> dims, bool keepsGroups) {
    Dims all;
    if (keepsGroups)
      all.push_back(0);
    for (int64_t dim : dims)
      all.push_back(dim + 1);
    return all;
  };
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    // Initial values and scalar predicates stay as they are.
    bool isScalar = typeOf(operand).getRank() == 0 && !isInRegion(operand) &&
                    typeOf(op->getResult(0)).getRank() > 0;
    bool staysScalar = isScalar && (isa<ReduceOp>(op) || isa<SelectOp>(op));
    operands.push_back(staysScalar ? operand : grouped(operand, op));
  }
  Operation *clone = b.clone(*op);
  clone->removeAttr("sdy.sharding");
  clone->setOperands(operands);
  clone->getResult(0).setType(withGroups(op->getResult(0).getType()));
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(clone))
    broadcast.setBroadcastDimensions(
        shifted(broadcast.getBroadcastDimensions(), true));
  else if (auto transpose = dyn_cast<TransposeOp>(clone))
    transpose.setPermutation(shifted(transpose.getPermutation(), true));
  else if (auto reduce = dyn_cast<ReduceOp>(clone))
    reduce.setDimensions(shifted(reduce.getDimensions(), false));
  inGroups[op->getResult(0)] = clone->getResult(0);
  for (Value operand : op->getOperands())
    if (auto it = counts.find(operand); it != counts.end()) {
      double count = it->second;
      counts[op->getResult(0)] = count;
      break;
    }
}

/// A statistic over its own group's rows.
void Rewrite::spread(BroadcastInDimOp op) {
  int64_t dim = *statistics.batch.dimOf(op.getResult());
  Dims dims{dim};
  for (int64_t old : op.getBroadcastDimensions())
    dims.push_back(old >= dim ? old + 1 : old);
  Value rows = b.create<BroadcastInDimOp>(
      op.getLoc(), split(typeOf(op.getResult()), dim),
      inGroups.lookup(op.getOperand()), b.getDenseI64ArrayAttr(dims));
  Value whole = b.create<ReshapeOp>(op.getLoc(), op.getType(), rows);
  op.getResult().replaceAllUsesWith(whole);
}

/// The first group's part, as a sum that others add nothing to, so that it
/// costs one small all-reduce.
Value Rewrite::first(Value value) {
  Location loc = value.getLoc();
  Value own = inGroups.lookup(value);
  RankedTensorType type = typeOf(own);
  auto numbers = RankedTensorType::get(type.getShape(), b.getI32Type());
  Value number = b.create<IotaOp>(loc, numbers, b.getI64IntegerAttr(0));
  auto splat = [&](RankedTensorType of, Attribute element) -> Value {
    return b.create<ConstantOp>(loc, of, DenseElementsAttr::get(of, element));
  };
  Value isFirst =
      b.create<CompareOp>(loc, number, splat(numbers, b.getI32IntegerAttr(0)),
                          ComparisonDirection::EQ, ComparisonType::SIGNED);
  Attribute zero = b.getZeroAttr(type.getElementType());
  Value kept = b.create<SelectOp>(loc, type, isFirst, own, splat(type, zero));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  auto reduce = b.create<ReduceOp>(
      loc, TypeRange{value.getType()}, ValueRange{kept},
      ValueRange{splat(scalar, zero)}, b.getDenseI64ArrayAttr({0}));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value sum =
      b.create<AddOp>(loc, scalar, body->getArgument(0), body->getArgument(1));
  b.create<ReturnOp>(loc, sum);
  return reduce.getResult(0);
}

LogicalResult Rewrite::run() {
  if (failed(statistics.find()))
    return failure();
  if (!statistics.sources.empty())
    firstSource = statistics.sources.front()->getLoc();
  for (Operation *op : statistics.ops) {
    b.setInsertionPointAfter(op);
    if (statistics.sources.contains(op))
      groupSource(cast<ReduceOp>(op));
    else
      groupOp(op);
  }
  for (auto &[value, uses] : statistics.leaving) {
    b.setInsertionPointAfter(inGroups.lookup(value).getDefiningOp());
    Value part = first(value);
    for (OpOperand *use : uses)
      use->set(part);
  }
  for (Operation *sink : statistics.sinks) {
    b.setInsertionPoint(sink);
    spread(cast<BroadcastInDimOp>(sink));
    sink->erase();
  }
  for (Operation *op : llvm::reverse(statistics.ops))
    if (op->use_empty())
      op->erase();
  return success();
}

void note(ModuleOp module, Location loc, unsigned count) {
  Builder b(module.getContext());
  SmallVector<Attribute> warnings;
  if (auto old = module->getAttrOfType<ArrayAttr>("partopt.warnings"))
    warnings.assign(old.begin(), old.end());
  std::string text =
      "batch statistics are local: " + std::to_string(count) +
      " sums are over each device's own rows, so results depend on the number "
      "of devices; running statistics are those of the first device";
  warnings.push_back(b.getDictionaryAttr(
      {b.getNamedAttr("code", b.getStringAttr("local-batch-statistics")),
       b.getNamedAttr("message", b.getStringAttr(text)),
       b.getNamedAttr("loc", LocationAttr(loc))}));
  module->setAttr("partopt.warnings", b.getArrayAttr(warnings));
}

struct LocalBatchStatistics
    : partopt::impl::LocalBatchStatisticsPassBase<LocalBatchStatistics> {
  using LocalBatchStatisticsPassBase::LocalBatchStatisticsPassBase;

  void runOnOperation() override {
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    bool hasAxis = mesh && mesh.getMesh().hasAxis(axis);
    int64_t devices = hasAxis ? mesh.getMesh().getAxisSize(axis) : 1;
    int64_t groups = this->groups ? int64_t(this->groups) : devices;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isPublic() || groups == 1)
        continue;
      Rewrite rewrite(func, groups);
      if (failed(rewrite.run()))
        return signalPassFailure();
      if (rewrite.numStatistics() != 0)
        note(getOperation(), rewrite.firstLoc(), rewrite.numStatistics());
    }
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createLocalBatchStatisticsPass(std::string axis,
                                                              int64_t groups) {
  LocalBatchStatisticsPassOptions options;
  options.groups = groups;
  options.axis = std::move(axis);
  return std::make_unique<LocalBatchStatistics>(options);
}
