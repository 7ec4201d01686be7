// Reads at places known when running: dynamic_slice and gather. Both move a
// start that would leave the operand back inside, as StableHLO says.
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

ArrayRef<int64_t> shapeOf(Value value) { return tensorOf(value).getShape(); }

Value dynamicSliceElement(ElementScope &scope, Operation *op,
                          ArrayRef<Index> at) {
  auto slice = cast<DynamicSliceOp>(op);
  IndexVector from;
  for (auto [i, start] : llvm::enumerate(slice.getStartIndices())) {
    Value scalar = scope.element(start, {});
    if (!scalar)
      return {};
    int64_t high = shapeOf(slice.getOperand())[i] - slice.getSliceSizes()[i];
    Index begin =
        clampedStart(scope, scalar, tensorOf(start).getElementType(), high);
    from.push_back(scope.sum(begin, at[i]));
  }
  return scope.element(slice.getOperand(), from);
}

int64_t dynamicSlicePrefix(Operation *op, unsigned operand) {
  auto slice = cast<DynamicSliceOp>(op);
  ArrayRef<int64_t> shape = shapeOf(slice.getOperand());
  int64_t p = 0, rank = operand == 0 ? int64_t(shape.size()) : 0;
  while (p < rank && slice.getSliceSizes()[p] == shape[p])
    ++p;
  return p;
}

/// The result dimensions of a gather that walk over the indices.
SmallVector<int64_t> batchDims(GatherOp gather) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0, e = tensorOf(gather.getResult()).getRank(); i < e; ++i)
    if (!llvm::is_contained(gather.getDimensionNumbers().getOffsetDims(), i))
      dims.push_back(i);
  return dims;
}

/// Where `indices` hold component `component` for the batch coordinates.
IndexVector startPlace(GatherOp gather, ArrayRef<Index> batch,
                       int64_t component) {
  int64_t vectorDim = gather.getDimensionNumbers().getIndexVectorDim();
  IndexVector place(batch);
  if (vectorDim < tensorOf(gather.getStartIndices()).getRank())
    place.insert(place.begin() + vectorDim, Index::constant(component));
  return place;
}

Value gatherElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto gather = cast<GatherOp>(op);
  auto numbers = gather.getDimensionNumbers();
  ArrayRef<int64_t> shape = shapeOf(gather.getOperand());
  IndexVector batch;
  for (int64_t dim : batchDims(gather))
    batch.push_back(at[dim]);

  IndexVector from(shape.size(), Index::constant(0));
  auto offsets = numbers.getOffsetDims().begin();
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), i))
      from[i] = at[*offsets++];
  for (auto [dim, indexDim] : llvm::zip(numbers.getOperandBatchingDims(),
                                        numbers.getStartIndicesBatchingDims()))
    from[dim] =
        batch[indexDim < numbers.getIndexVectorDim() ? indexDim : indexDim - 1];
  Type indexType = tensorOf(gather.getStartIndices()).getElementType();
  for (auto [component, dim] : llvm::enumerate(numbers.getStartIndexMap())) {
    Value start = scope.element(gather.getStartIndices(),
                                startPlace(gather, batch, component));
    if (!start)
      return {};
    Index begin = clampedStart(scope, start, indexType,
                               shape[dim] - gather.getSliceSizes()[dim]);
    from[dim] = scope.sum(begin, from[dim]);
  }
  return scope.element(gather.getOperand(), from);
}

int64_t gatherPrefix(Operation *op, unsigned operand) {
  auto gather = cast<GatherOp>(op);
  auto numbers = gather.getDimensionNumbers();
  SmallVector<int64_t> batch = batchDims(gather);
  int64_t vectorDim = numbers.getIndexVectorDim();
  int64_t p = 0;
  auto isAligned = [&](int64_t i) {
    if (i >= int64_t(batch.size()) || batch[i] != i)
      return false;
    if (operand == 1)
      return i < vectorDim;
    auto dims = numbers.getOperandBatchingDims();
    auto it = llvm::find(dims, i);
    if (it == dims.end())
      return false;
    int64_t indexDim = numbers.getStartIndicesBatchingDims()[it - dims.begin()];
    return (indexDim < vectorDim ? indexDim : indexDim - 1) == i;
  };
  while (isAligned(p))
    ++p;
  return p;
}

} // namespace

Index signedStart(ElementScope &scope, Value start, Type type) {
  OpBuilder &b = scope.builder;
  Type index = b.getIndexType();
  constexpr int64_t far = int64_t(1) << 62;
  if (!type.isUnsignedInteger()) {
    Value value = b.create<arith::IndexCastOp>(scope.loc, index, start);
    return scope.opaque(value, -far, far);
  }
  // A u64 past the signed range must not turn negative.
  Value value = b.create<arith::IndexCastUIOp>(scope.loc, index, start);
  value = b.create<arith::MinUIOp>(scope.loc, value, scope.indexConstant(far));
  return scope.opaque(value, 0, far);
}

Index clampedStart(ElementScope &scope, Value start, Type type, int64_t high) {
  if (high == 0)
    return Index::constant(0);
  return scope.clamped(signedStart(scope, start, type), 0, high);
}

void addIndexingRules(RuleTable &t) {
  OpRule slice;
  slice.element = dynamicSliceElement;
  slice.prefix = dynamicSlicePrefix;
  slice.cost = 0;
  t.add<DynamicSliceOp>(slice);
  OpRule gather;
  gather.element = gatherElement;
  gather.prefix = gatherPrefix;
  gather.cost = 2;
  t.add<GatherOp>(gather);
}

} // namespace partopt::codegen
