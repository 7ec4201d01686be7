// Below which number an integer argument makes sense, from how it is used.
//
// Every place where a number selects a row (an index, a comparison with an
// iota) is followed back through the ops that only move or guard numbers to
// the arguments that they come from.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_BOUNDINTEGERSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The operands whose elements the result's elements are, as they are or moved
/// into a range; those that the value of an index can come from.
void forEachOrigin(OpResult result, llvm::function_ref<void(Value)> visit) {
  Operation *op = result.getOwner();
  if (isa<stablehlo::ConvertOp, stablehlo::ReshapeOp,
          stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
          stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp,
          stablehlo::ReverseOp, stablehlo::PadOp, sdy::ShardingConstraintOp,
          sdy::ReshardOp>(op))
    return visit(op->getOperand(0));
  if (isa<stablehlo::OptimizationBarrierOp>(op))
    return visit(op->getOperand(result.getResultNumber()));
  if (isa<stablehlo::ConcatenateOp, stablehlo::MaxOp, stablehlo::MinOp>(op))
    return void(llvm::for_each(op->getOperands(), visit));
  if (auto clamp = dyn_cast<stablehlo::ClampOp>(op))
    return visit(clamp.getOperand());
  if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
    visit(select.getOnTrue());
    return visit(select.getOnFalse());
  }
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    for (Region &region : op->getRegions())
      visit(
          region.front().getTerminator()->getOperand(result.getResultNumber()));
  if (isa<stablehlo::WhileOp>(op)) {
    visit(op->getOperand(result.getResultNumber()));
    visit(op->getRegion(1).front().getTerminator()->getOperand(
        result.getResultNumber()));
  }
}

/// The number of rows of the iota that `value` is a view of, or 0.
int64_t iotaRows(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto iota = dyn_cast<stablehlo::IotaOp>(op))
      return typeOf(iota).getDimSize(iota.getIotaDimension());
    if (!isa<stablehlo::ConvertOp, stablehlo::ReshapeOp,
             stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
             sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
      return 0;
    value = op->getOperand(0);
  }
  return 0;
}

/// Bounds of the arguments of one function.
class Bounds {
public:
  explicit Bounds(func::FuncOp func)
      : entry(func.front()), bounds(func.getNumArguments(), 0) {
    func.walk([&](Operation *op) { readUse(op); });
  }

  /// Exclusive; 0 where no use gives one.
  int64_t get(unsigned argument) const { return bounds[argument]; }

private:
  Block &entry;
  SmallVector<int64_t> bounds;

  void readUse(Operation *op) {
    if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
      auto numbers = gather.getDimensionNumbers();
      ArrayRef<int64_t> shape = typeOf(gather.getOperand()).getShape();
      SmallVector<int64_t> rows;
      for (int64_t dim : numbers.getStartIndexMap())
        rows.push_back(shape[dim] - gather.getSliceSizes()[dim] + 1);
      components(gather.getStartIndices(), numbers.getIndexVectorDim(), rows);
    } else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
      readScatter(scatter);
    } else if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
      starts(slice.getStartIndices(), typeOf(slice.getOperand()).getShape(),
             slice.getSliceSizes());
    } else if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op)) {
      starts(update.getStartIndices(), typeOf(update.getOperand()).getShape(),
             typeOf(update.getUpdate()).getShape());
    } else if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      bool equality = compare.getComparisonDirection() ==
                          stablehlo::ComparisonDirection::EQ ||
                      compare.getComparisonDirection() ==
                          stablehlo::ComparisonDirection::NE;
      if (!equality)
        return;
      bound(compare.getLhs(), iotaRows(compare.getRhs()));
      bound(compare.getRhs(), iotaRows(compare.getLhs()));
    }
  }

  void readScatter(stablehlo::ScatterOp scatter) {
    auto numbers = scatter.getScatterDimensionNumbers();
    RankedTensorType input = typeOf(scatter.getInputs()[0]);
    RankedTensorType updates = typeOf(scatter.getUpdates()[0]);
    // The extent of an update along each dimension of the input.
    SmallVector<int64_t> window(input.getRank(), 1);
    const int64_t *next = numbers.getUpdateWindowDims().begin();
    for (int64_t dim = 0; dim < input.getRank(); ++dim)
      if (!llvm::is_contained(numbers.getInsertedWindowDims(), dim) &&
          !llvm::is_contained(numbers.getInputBatchingDims(), dim))
        window[dim] = updates.getDimSize(*next++);
    SmallVector<int64_t> rows;
    for (int64_t dim : numbers.getScatterDimsToOperandDims())
      rows.push_back(input.getDimSize(dim) - window[dim] + 1);
    components(scatter.getScatterIndices(), numbers.getIndexVectorDim(), rows);
  }

  void starts(ValueRange indices, ArrayRef<int64_t> shape,
              ArrayRef<int64_t> sizes) {
    for (auto [index, extent, size] : llvm::zip_equal(indices, shape, sizes))
      bound(index, extent - size + 1);
  }

  /// Indices whose dimension `dim` lists one component per entry of `rows`. A
  /// concatenation of the components gives each part its own bounds.
  void components(Value indices, int64_t dim, ArrayRef<int64_t> rows) {
    auto concat = indices.getDefiningOp<stablehlo::ConcatenateOp>();
    if (concat && int64_t(concat.getDimension()) == dim) {
      for (Value part : concat.getInputs()) {
        int64_t count = typeOf(part).getDimSize(dim);
        components(part, dim, rows.take_front(count));
        rows = rows.drop_front(count);
      }
      return;
    }
    auto convert = indices.getDefiningOp<stablehlo::ConvertOp>();
    if (convert)
      return components(convert.getOperand(), dim, rows);
    if (!rows.empty())
      bound(indices, *llvm::min_element(rows));
  }

  /// `value` makes sense below `limit`.
  void bound(Value value, int64_t limit) {
    if (limit <= 0)
      return;
    llvm::DenseSet<Value> seen;
    SmallVector<Value> work;
    auto push = [&](Value origin) {
      if (typeOf(origin).getElementType().isInteger() &&
          seen.insert(origin).second)
        work.push_back(origin);
    };
    push(value);
    while (!work.empty()) {
      value = work.pop_back_val();
      if (auto result = dyn_cast<OpResult>(value))
        forEachOrigin(result, push);
      else
        boundArgument(cast<BlockArgument>(value), limit, push);
    }
  }

  void boundArgument(BlockArgument argument, int64_t limit,
                     llvm::function_ref<void(Value)> push) {
    unsigned index = argument.getArgNumber();
    if (argument.getOwner() == &entry) {
      if (bounds[index] == 0 || limit < bounds[index])
        bounds[index] = limit;
    } else if (auto loop = dyn_cast<stablehlo::WhileOp>(
                   argument.getOwner()->getParentOp())) {
      push(loop->getOperand(index));
      push(loop->getRegion(1).front().getTerminator()->getOperand(index));
    }
  }
};

/// The bound that the argument's type leaves of `limit`.
int64_t fitType(int64_t limit, IntegerType type) {
  unsigned bits = type.getWidth() - !type.isUnsigned();
  return bits >= 62 ? limit : std::min(limit, int64_t(1) << bits);
}

struct BoundIntegersPass : impl::BoundIntegersPassBase<BoundIntegersPass> {
  using BoundIntegersPassBase::BoundIntegersPassBase;

  void runOnOperation() override {
    auto func = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!func || func.isExternal())
      return;
    Bounds bounds(func);
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto tensor = dyn_cast<RankedTensorType>(func.getArgumentTypes()[i]);
      auto type = tensor ? dyn_cast<IntegerType>(tensor.getElementType())
                         : IntegerType();
      if (!type || type.getWidth() == 1 || bounds.get(i) == 0)
        continue;
      func.setArgAttr(i, kIntBoundAttr,
                      IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                       fitType(bounds.get(i), type)));
      ++numBounded;
    }
  }
};

} // namespace
} // namespace partopt
