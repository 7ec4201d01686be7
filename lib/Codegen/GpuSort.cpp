#include "GpuSort.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

GpuMergeSort::Values GpuMergeSort::load(ElementScope &scope,
                                        ArrayRef<Buffer> from,
                                        ArrayRef<Index> at, Value i) {
  IndexVector place(at);
  place[dim] = {i, 0, 0, shape[dim] - 1};
  Values values;
  for (const Buffer &buffer : from)
    values.push_back(b.create<memref::LoadOp>(loc, buffer.memref,
                                              buffer.place(scope, place)));
  return values;
}

void GpuMergeSort::store(ElementScope &scope, ArrayRef<Buffer> to,
                         ArrayRef<Index> at, Value i, ValueRange values) {
  IndexVector place(at);
  place[dim] = {i, 0, 0, shape[dim] - 1};
  for (auto [buffer, value] : llvm::zip(to, values))
    b.create<memref::StoreOp>(loc, value, buffer.memref,
                              buffer.place(scope, place));
}

/// How many elements of the run [low, high) come before `own`: of the left run
/// those that are not greater, of the right run those that are less.
FailureOr<Value> GpuMergeSort::countBefore(ElementScope &scope,
                                           ArrayRef<Buffer> from,
                                           ArrayRef<Index> at, ValueRange own,
                                           Value isRight, Value low, Value high,
                                           int64_t width,
                                           CompareFn comesFirst) {
  IndexMath m{scope};
  Value steps = m.constant(llvm::Log2_64(width) + 1);
  auto loop = b.create<scf::ForOp>(loc, m.constant(0), steps, m.constant(1),
                                   ValueRange{low, high});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  IndexMath n{inner};
  Value first = loop.getRegionIterArg(0), last = loop.getRegionIterArg(1);
  Value isOpen = n.less(first, last);
  Value middle = n.div(n.add(first, last), 2);
  Values other =
      load(inner, from, at, n.min(middle, n.constant(shape[dim] - 1)));
  ElementScope less(&inner), greater(&inner);
  FailureOr<Value> isLess = comesFirst(less, other, own);
  FailureOr<Value> isGreater = comesFirst(greater, own, other);
  if (failed(isLess) || failed(isGreater))
    return failure();
  Value yes = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
  Value notGreater = b.create<arith::XOrIOp>(loc, *isGreater, yes);
  Value isBefore = n.both(isOpen, n.select(isRight, notGreater, *isLess));
  Value isAfter = n.both(isOpen, b.create<arith::XOrIOp>(loc, isBefore, yes));
  b.create<scf::YieldOp>(
      loc, ValueRange{n.select(isBefore, n.add(middle, n.constant(1)), first),
                      n.select(isAfter, middle, last)});
  b.setInsertionPointAfter(loop);
  return m.sub(loop.getResult(0), low);
}

LogicalResult GpuMergeSort::pass(ArrayRef<Buffer> from, ArrayRef<Buffer> to,
                                 int64_t width, CompareFn comesFirst) {
  ElementScope top = emitter.topScope(loc);
  auto element = [&](ElementScope &scope, ArrayRef<Index> at) -> LogicalResult {
    IndexMath m{scope};
    int64_t length = shape[dim];
    Value i = scope.materialize(at[dim]), end = m.constant(length);
    Value offset = m.rem(i, 2 * width), run = m.sub(i, offset);
    Value isLeft = m.less(offset, width);
    Value isRight = b.create<arith::XOrIOp>(
        loc, isLeft, b.create<arith::ConstantOp>(loc, b.getBoolAttr(true)));
    Value middle = m.min(m.add(run, m.constant(width)), end);
    Value low = m.select(isLeft, middle, run);
    Value high =
        m.select(isLeft, m.min(m.add(run, m.constant(2 * width)), end), middle);
    Values own = load(scope, from, at, i);
    FailureOr<Value> before = countBefore(scope, from, at, own, isRight, low,
                                          high, width, comesFirst);
    if (failed(before))
      return failure();
    Value within = m.select(isLeft, offset, m.sub(offset, m.constant(width)));
    // A comparator that is no order still stays inside the line.
    Value place =
        m.min(m.add(m.add(run, within), *before), m.constant(length - 1));
    store(scope, to, at, place, own);
    return success();
  };
  return emitter.parallel(top, shape, element);
}

LogicalResult GpuMergeSort::run(ArrayRef<Buffer> results,
                                ArrayRef<Type> elements, FillFn fill,
                                CompareFn comesFirst) {
  int64_t length = shape[dim];
  unsigned passes = length > 1 ? llvm::Log2_64_Ceil(length) : 0;
  SmallVector<Buffer> from(results), to;
  for (Type element : elements)
    if (passes > 0)
      to.push_back(emitter.scratch(shape, element));
  if (passes % 2)
    std::swap(from, to);
  ElementScope top = emitter.topScope(loc);
  auto first = [&](ElementScope &scope, ArrayRef<Index> at) -> LogicalResult {
    SmallVector<Value> stored;
    if (failed(fill(scope, at, stored)))
      return failure();
    store(scope, from, at, scope.materialize(at[dim]), stored);
    return success();
  };
  if (failed(emitter.parallel(top, shape, first)))
    return failure();
  for (int64_t width = 1; width < length; width *= 2) {
    if (failed(pass(from, to, width, comesFirst)))
      return failure();
    std::swap(from, to);
  }
  return success();
}

LogicalResult emitSortOnGpu(KernelEmitter &emitter, Operation *op,
                            ArrayRef<Buffer> results) {
  auto &gpu = static_cast<GpuEmitter &>(emitter);
  auto sort = cast<stablehlo::SortOp>(op);
  OpBuilder &b = emitter.getBuilder();
  int64_t dim = sort.getDimension();
  int64_t rank = tensorOf(sort.getInputs()[0]).getRank();
  SmallVector<Type> elements;
  for (Value input : sort.getInputs())
    elements.push_back(tensorOf(input).getElementType());
  auto fill = [&](ElementScope &scope, ArrayRef<Index> at,
                  SmallVectorImpl<Value> &stored) -> LogicalResult {
    for (auto [input, element] : llvm::zip(sort.getInputs(), elements)) {
      Value scalar = scope.element(input, at);
      if (!scalar)
        return failure();
      stored.push_back(toStorage(b, scope.loc, element, scalar));
    }
    return success();
  };
  auto comesFirst = [&](ElementScope &scope, ValueRange lhs,
                        ValueRange rhs) -> FailureOr<Value> {
    SmallVector<Value> arguments, out;
    for (auto [left, right, element] : llvm::zip(lhs, rhs, elements)) {
      arguments.push_back(toCompute(b, scope.loc, element, left));
      arguments.push_back(toCompute(b, scope.loc, element, right));
    }
    if (failed(evaluateRegion(scope, sort.getComparator(), arguments, out)))
      return failure();
    return out.front();
  };
  return GpuMergeSort(gpu, op->getLoc(),
                      tensorOf(sort.getInputs()[0]).getShape(),
                      dim < 0 ? dim + rank : dim)
      .run(results, elements, fill, comesFirst);
}

} // namespace partopt::codegen
