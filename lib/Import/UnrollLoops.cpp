// Writes loops whose trip count is known out, iteration by iteration: a scan
// over layers becomes the layers, each of which is then sharded, placed and
// scheduled by itself.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

/// The value of a constant; null for anything else.
DenseElementsAttr constantValue(Value value) {
  DenseElementsAttr attr;
  matchPattern(value, m_Constant(&attr));
  return attr;
}

bool isIntegerScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && tensor.getElementType().isInteger();
}

bool compareIntegers(stablehlo::CompareOp op, const APInt &a, const APInt &b) {
  auto type = cast<RankedTensorType>(op.getLhs().getType()).getElementType();
  bool isSigned = !type.isUnsignedInteger() && !type.isInteger(1);
  bool less = isSigned ? a.slt(b) : a.ult(b);
  switch (op.getComparisonDirection()) {
  case stablehlo::ComparisonDirection::EQ:
    return a == b;
  case stablehlo::ComparisonDirection::NE:
    return a != b;
  case stablehlo::ComparisonDirection::LT:
    return less;
  case stablehlo::ComparisonDirection::LE:
    return less || a == b;
  case stablehlo::ComparisonDirection::GT:
    return !less && a != b;
  case stablehlo::ComparisonDirection::GE:
    return !less;
  }
  llvm_unreachable("all directions are handled");
}

/// The result of an op on integer scalars whose operands are known, or null.
DenseElementsAttr foldScalar(Operation *op, ArrayRef<Attribute> operands) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isIntegerScalar(op->getResult(0).getType()) ||
      llvm::any_of(operands, [](Attribute a) { return !a; }))
    return {};
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
    auto a = dyn_cast<DenseIntElementsAttr>(operands[0]);
    auto b = dyn_cast<DenseIntElementsAttr>(operands[1]);
    if (!a || !b)
      return {};
    return DenseElementsAttr::get(cast<ShapedType>(compare.getType()),
                                  compareIntegers(compare,
                                                  *a.value_begin<APInt>(),
                                                  *b.value_begin<APInt>()));
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  if (auto attr = dyn_cast<Attribute>(results[0]))
    return dyn_cast<DenseElementsAttr>(attr);
  for (auto [operand, attr] : llvm::zip(op->getOperands(), operands))
    if (operand == cast<Value>(results[0]))
      return dyn_cast<DenseElementsAttr>(attr);
  return {};
}

/// Integer scalars of one iteration, computed as far as they are known.
class Evaluator {
public:
  Evaluator(Block &block, ArrayRef<Attribute> arguments) {
    for (auto [argument, known] : llvm::zip(block.getArguments(), arguments))
      values[argument] = known;
  }

  Attribute get(Value value) {
    if (!isIntegerScalar(value.getType()))
      return {};
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    values[value] = {};
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (Attribute constant = constantValue(value))
      return values[value] = constant;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    Attribute result = foldScalar(op, operands);
    return values[value] = result;
  }

private:
  llvm::DenseMap<Value, Attribute> values;
};

/// Replaces one loop by copies of its body.
class Unroller {
public:
  Unroller(stablehlo::WhileOp loop, int64_t maxTrips, int64_t maxOps)
      : loop(loop), condition(loop.getCond().front()),
        body(loop.getBody().front()), maxTrips(maxTrips), maxOps(maxOps) {}

  /// The number of iterations, or none where the program's inputs decide it or
  /// it is beyond the limits.
  std::optional<int64_t> tripCount();
  void unroll(int64_t trips);

private:
  Operation *copy(OpBuilder &builder, Operation &op, IRMapping &mapping);

  stablehlo::WhileOp loop;
  Block &condition, &body;
  int64_t maxTrips, maxOps;
};

std::optional<int64_t> Unroller::tripCount() {
  SmallVector<Attribute> known;
  for (Value operand : loop->getOperands())
    known.push_back(isIntegerScalar(operand.getType()) ? constantValue(operand)
                                                       : Attribute());
  int64_t ops = 0;
  loop.getBody().walk([&](Operation *) { ++ops; });
  for (int64_t trips = 0; trips <= maxTrips && trips * ops <= maxOps; ++trips) {
    Evaluator again(condition, known);
    auto goes = llvm::dyn_cast_or_null<DenseElementsAttr>(
        again.get(condition.getTerminator()->getOperand(0)));
    if (!goes)
      return std::nullopt;
    if (!goes.getSplatValue<bool>())
      return trips;
    Evaluator iteration(body, known);
    SmallVector<Attribute> next;
    for (Value value : body.getTerminator()->getOperands())
      next.push_back(iteration.get(value));
    known = std::move(next);
  }
  return std::nullopt;
}

/// A static slice for a dynamic one whose (clamped) start is known; else null.
Operation *staticSlice(OpBuilder &builder, stablehlo::DynamicSliceOp op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> starts, limits, strides(type.getRank(), 1);
  for (auto [dim, index] : llvm::enumerate(op.getStartIndices())) {
    auto constant =
        llvm::dyn_cast_or_null<DenseIntElementsAttr>(constantValue(index));
    if (!constant)
      return nullptr;
    Type element = cast<RankedTensorType>(index.getType()).getElementType();
    APInt value = *constant.value_begin<APInt>();
    int64_t start = element.isUnsignedInteger()
                        ? int64_t(value.getLimitedValue(INT64_MAX))
                        : value.getSExtValue();
    int64_t size = op.getSliceSizes()[dim];
    start = std::clamp<int64_t>(start, 0, type.getDimSize(dim) - size);
    starts.push_back(start);
    limits.push_back(start + size);
  }
  return builder.create<stablehlo::SliceOp>(
      op.getLoc(), op.getType(), op.getOperand(),
      builder.getDenseI64ArrayAttr(starts),
      builder.getDenseI64ArrayAttr(limits),
      builder.getDenseI64ArrayAttr(strides));
}

Operation *Unroller::copy(OpBuilder &builder, Operation &op,
                          IRMapping &mapping) {
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(constantValue(mapping.lookupOrDefault(operand)));
  if (DenseElementsAttr value = foldScalar(&op, operands))
    return builder.create<stablehlo::ConstantOp>(
        op.getLoc(), op.getResult(0).getType(), value);
  Operation *clone = builder.clone(op, mapping);
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(clone))
    if (Operation *fixed = staticSlice(builder, slice)) {
      if (Attribute sharding = clone->getAttr(sdy::kShardingAttr))
        fixed->setAttr(sdy::kShardingAttr, sharding);
      clone->erase();
      return fixed;
    }
  return clone;
}

void Unroller::unroll(int64_t trips) {
  OpBuilder builder(loop);
  SmallVector<Value> current(loop->getOperands());
  for (int64_t trip = 0; trip < trips; ++trip) {
    IRMapping mapping;
    mapping.map(body.getArguments(), current);
    for (Operation &op : body.without_terminator())
      mapping.map(op.getResults(), copy(builder, op, mapping)->getResults());
    current.clear();
    for (Value value : body.getTerminator()->getOperands())
      current.push_back(mapping.lookupOrDefault(value));
  }
  auto shardings =
      loop->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr);
  for (auto [i, value] : llvm::enumerate(current)) {
    if (shardings && i < size_t(shardings.size()) && shardings.getSharding(i))
      value = builder.create<sdy::ShardingConstraintOp>(
          loop.getLoc(), value, shardings.getSharding(i));
    loop->getResult(i).replaceAllUsesWith(value);
  }
  loop->erase();
}

struct UnrollLoopsPass : impl::UnrollLoopsPassBase<UnrollLoopsPass> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override {
    // An outer loop goes first: its counter may decide an inner one's trips.
    // Whatever is left of the limit bounds what the inner ones may add.
    SmallVector<stablehlo::WhileOp> left;
    for (bool changed = true; changed;) {
      changed = false;
      left.clear();
      getOperation().walk<WalkOrder::PreOrder>([&](stablehlo::WhileOp loop) {
        left.push_back(loop);
        return WalkResult::skip();
      });
      for (stablehlo::WhileOp loop : left) {
        Unroller unroller(loop, maxTrips, maxOps);
        if (std::optional<int64_t> trips = unroller.tripCount()) {
          unroller.unroll(*trips);
          ++numUnrolled;
          changed = true;
        }
      }
    }
  }
};

} // namespace
} // namespace partopt
