// Scatter by many threads with the result of one: elements of updates are
// sorted by their place, stably, so that those of one place are neighbours in
// their old order; the thread at the first of them combines them all. Windows
// over whole dimensions that no index moves are not sorted: each of their
// elements has threads of its own.
#include "GpuSort.h"
#include "ScatterEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

class GpuScatter : public ScatterEmitter {
public:
  GpuScatter(GpuEmitter &gpu, stablehlo::ScatterOp op, ArrayRef<Buffer> results)
      : ScatterEmitter(gpu, op, results), gpu(gpu), b(gpu.getBuilder()),
        loc(op.getLoc()) {}

  LogicalResult run();

private:
  /// Fewer elements are combined one after the other.
  static constexpr int64_t kFew = 32;

  void divideWindows();
  LogicalResult unique();
  LogicalResult inOrder();
  LogicalResult sortPlaces();
  LogicalResult combineRuns();
  LogicalResult combineRun(ElementScope &scope, ArrayRef<Index> at, Value key);
  Value load(ElementScope &scope, const Buffer &buffer, Value i);
  Value equal(Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
  }
  /// The coordinates of a window from those of its sorted and of its other
  /// dimensions.
  IndexVector windowPlace(ArrayRef<Index> sorted, ArrayRef<Index> others);
  FailureOr<Value> keyOf(ElementScope &scope, ArrayRef<Index> at);
  Value number(ElementScope &scope, int64_t value) {
    return b.create<arith::ConstantOp>(scope.loc, b.getI64IntegerAttr(value));
  }

  GpuEmitter &gpu;
  OpBuilder &b;
  Location loc;
  SmallVector<bool> isSorted;        ///< of each dimension of the window
  SmallVector<int64_t> sortedShape;  ///< scatter dimensions, sorted windows
  SmallVector<int64_t> othersShape;  ///< other dimensions of the window
  SmallVector<int64_t> indexedShape; ///< the operand's, others as 1
  int64_t count = 0;
  Buffer keys, numbersOfKeys;
};

void GpuScatter::divideWindows() {
  sortedShape = scatterShape;
  indexedShape.assign(shape.begin(), shape.end());
  unsigned next = 0;
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (!hasWindow(dim))
      continue;
    int64_t size = windowShape[next++];
    bool isMoved =
        llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
    isSorted.push_back(isMoved);
    (isMoved ? sortedShape : othersShape).push_back(size);
    if (!isMoved)
      indexedShape[dim] = 1;
  }
  count = productOf(sortedShape);
}

IndexVector GpuScatter::windowPlace(ArrayRef<Index> sorted,
                                    ArrayRef<Index> others) {
  IndexVector at;
  for (bool isFirst : isSorted) {
    ArrayRef<Index> &from = isFirst ? sorted : others;
    at.push_back(from.front());
    from = from.drop_front();
  }
  return at;
}

/// Every element has a place of its own: all at once.
LogicalResult GpuScatter::unique() {
  SmallVector<int64_t> all(scatterShape);
  llvm::append_range(all, windowShape);
  ElementScope scope = gpu.topScope(loc);
  return gpu.parallel(scope, all, [&](ElementScope &inner, ArrayRef<Index> at) {
    ArrayRef<Index> scatterAt = at.take_front(scatterShape.size());
    IndexVector starts;
    Value condition;
    if (failed(findStarts(inner, scatterAt, starts, condition)))
      return failure();
    return guarded(inner, condition, [&](ElementScope &active) {
      return window(active, scatterAt, starts,
                    at.drop_front(scatterShape.size()));
    });
  });
}

/// The few elements of sorted dimensions one after the other, the others at
/// once.
LogicalResult GpuScatter::inOrder() {
  ElementScope scope = gpu.topScope(loc);
  auto element = [&](ElementScope &outer, ArrayRef<Index> others) {
    IndexVector own(others);
    return gpu.loops(
        outer, sortedShape, [&](ElementScope &inner, ArrayRef<Index> at) {
          ArrayRef<Index> scatterAt = at.take_front(scatterShape.size());
          IndexVector starts;
          Value condition;
          if (failed(findStarts(inner, scatterAt, starts, condition)))
            return failure();
          return guarded(inner, condition, [&](ElementScope &active) {
            return window(active, scatterAt, starts,
                          windowPlace(at.drop_front(scatterShape.size()), own));
          });
        });
  };
  return gpu.parallel(scope, othersShape, element);
}

/// The place of an element among those that indices move, or -1 where it is
/// dropped.
FailureOr<Value> GpuScatter::keyOf(ElementScope &scope, ArrayRef<Index> at) {
  ArrayRef<Index> scatterAt = at.take_front(scatterShape.size());
  IndexVector starts;
  Value condition;
  if (failed(findStarts(scope, scatterAt, starts, condition)))
    return failure();
  SmallVector<Index> none(othersShape.size(), Index::constant(0));
  IndexVector place =
      placeOf(scope, starts,
              windowPlace(at.drop_front(scatterShape.size()), none), condition);
  Index key = Index::constant(0);
  for (auto [index, size] : llvm::zip(place, indexedShape))
    key = scope.sum(scope.scaled(key, size),
                    size == 1 ? Index::constant(0) : index);
  Value wide =
      b.create<arith::IndexCastOp>(loc, b.getI64Type(), scope.materialize(key));
  return condition ? b.create<arith::SelectOp>(loc, condition, wide,
                                               number(scope, -1))
                   : wide;
}

LogicalResult GpuScatter::sortPlaces() {
  keys = gpu.scratch({count}, b.getI64Type());
  numbersOfKeys = gpu.scratch({count}, b.getI64Type());
  auto fill = [&](ElementScope &scope, ArrayRef<Index> at,
                  SmallVectorImpl<Value> &stored) -> LogicalResult {
    Value own = scope.materialize(at[0]);
    FailureOr<Value> key =
        keyOf(scope, gpu.coordinates(scope, own, sortedShape));
    if (failed(key))
      return failure();
    stored.append(
        {*key,
         b.create<arith::IndexCastOp>(loc, b.getI64Type(), own).getResult()});
    return success();
  };
  auto comesFirst = [&](ElementScope &scope, ValueRange lhs,
                        ValueRange rhs) -> FailureOr<Value> {
    return b
        .create<arith::CmpIOp>(scope.loc, arith::CmpIPredicate::slt, lhs[0],
                               rhs[0])
        .getResult();
  };
  return GpuMergeSort(gpu, loc, {count}, 0)
      .run({keys, numbersOfKeys}, {b.getI64Type(), b.getI64Type()}, fill,
           comesFirst);
}

Value GpuScatter::load(ElementScope &scope, const Buffer &buffer, Value i) {
  return scope.load(buffer, b.getI64Type(), {Index{i, 0, 0, count - 1}});
}

/// Combines all elements with place `key`, of which the first is at[0].
LogicalResult GpuScatter::combineRun(ElementScope &scope, ArrayRef<Index> at,
                                     Value key) {
  IndexVector others(at.drop_front());
  Value index = b.create<arith::IndexCastOp>(loc, b.getIndexType(), key);
  IndexVector place = gpu.coordinates(scope, index, indexedShape);
  ArrayRef<Index> rest = others;
  for (unsigned dim = 0, next = 0; dim < shape.size(); ++dim)
    if (hasWindow(dim) && !isSorted[next++]) {
      place[dim] = rest.front();
      rest = rest.drop_front();
    }
  auto loop = b.create<scf::WhileOp>(loc, TypeRange{b.getIndexType()},
                                     ValueRange{scope.materialize(at[0])});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, b.getIndexType(), loc);
  Value i = before->getArgument(0);
  ElementScope test(&scope);
  Value last = test.indexConstant(count - 1);
  Value isOwn = equal(load(test, keys, IndexMath{test}.min(i, last)), key);
  Value goesOn =
      b.create<arith::AndIOp>(loc, isOwn, IndexMath{test}.less(i, count));
  b.create<scf::ConditionOp>(loc, goesOn, i);
  Block *after = b.createBlock(&loop.getAfter(), {}, b.getIndexType(), loc);
  ElementScope body(&scope);
  i = after->getArgument(0);
  Value element = b.create<arith::IndexCastOp>(loc, b.getIndexType(),
                                               load(body, numbersOfKeys, i));
  IndexVector from = gpu.coordinates(body, element, sortedShape);
  size_t rank = scatterShape.size();
  IndexVector update =
      updatePlace(ArrayRef(from).take_front(rank),
                  windowPlace(ArrayRef(from).drop_front(rank), others));
  if (failed(combine(body, update, place)))
    return failure();
  b.create<scf::YieldOp>(loc, IndexMath{body}.add(i, body.indexConstant(1)));
  return success();
}

/// A thread for every sorted element and every other element of its window;
/// that of the first element with a place goes on while the place stays.
LogicalResult GpuScatter::combineRuns() {
  SmallVector<int64_t> all{count};
  llvm::append_range(all, othersShape);
  ElementScope top = gpu.topScope(loc);
  auto element = [&](ElementScope &scope, ArrayRef<Index> at) -> LogicalResult {
    IndexMath m{scope};
    Value i = scope.materialize(at[0]);
    Value key = load(scope, keys, i);
    Value previous =
        b.create<arith::MaxSIOp>(loc, m.sub(i, m.constant(1)), m.constant(0));
    Value isRepeated = m.both(equal(load(scope, keys, previous), key),
                              m.less(m.constant(0), i));
    Value isInside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                             key, number(scope, 0));
    Value isFirst = b.create<arith::XOrIOp>(
        loc, isRepeated, b.create<arith::ConstantOp>(loc, b.getBoolAttr(true)));
    return gpu.when(scope, m.both(isFirst, isInside), [&](ElementScope &inner) {
      return combineRun(inner, at, key);
    });
  };
  return gpu.parallel(top, all, element);
}

LogicalResult GpuScatter::run() {
  if (failed(prepare()))
    return failure();
  divideWindows();
  if (count == 0)
    return success();
  if (op.getUniqueIndices() || count == 1)
    return unique();
  if (count <= kFew)
    return inOrder();
  return success(succeeded(sortPlaces()) && succeeded(combineRuns()));
}

} // namespace

LogicalResult emitScatterOnGpu(KernelEmitter &emitter, Operation *op,
                               ArrayRef<Buffer> results) {
  return GpuScatter(static_cast<GpuEmitter &>(emitter),
                    cast<stablehlo::ScatterOp>(op), results)
      .run();
}

} // namespace partopt::codegen
