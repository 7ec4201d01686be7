// Folds whose points are independent: threads over the terms where these are
// neighbours in memory, else over the points; partial results of the threads of
// a block meet through shuffles and shared memory, those of several blocks
// through scratch memory and a second grid. Who adds what is fixed, so every
// run gives the same result.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

//===----------------------------------------------------------------------===//
// Partial results of threads
//===----------------------------------------------------------------------===//

/// Neighbours first, so that the order of terms is kept.
LogicalResult GpuEmitter::shuffleSteps(ElementScope &scope, Items items,
                                       int64_t threads, Values &accumulators) {
  for (int64_t offset = 1; offset < threads; offset *= 2) {
    Values others, merged;
    for (Value value : accumulators)
      others.push_back(shuffleDown(scope, value, offset));
    if (failed(merge(scope, items, accumulators, others, merged)))
      return failure();
    accumulators = merged;
  }
  return success();
}

/// `slot` of the `points` that a block has; each has shared memory of its own.
LogicalResult GpuEmitter::reduceWarps(ElementScope &scope, Items items,
                                      int64_t threads, int64_t points,
                                      Value lane, Value slot,
                                      Values &accumulators) {
  if (failed(
          shuffleSteps(scope, items, std::min(threads, kWarp), accumulators)))
    return failure();
  if (threads <= kWarp)
    return success();
  IndexMath m{scope};
  int64_t warps = threads / kWarp;
  Index own{slot, 0, 0, points - 1};
  Index warp{m.div(lane, kWarp), 0, 0, warps - 1};
  SmallVector<Buffer> memory;
  for (Value value : accumulators)
    memory.push_back(shared(scope, {points, warps}, value.getType()));
  LogicalResult stored =
      when(scope, m.equals(m.rem(lane, kWarp), 0), [&](ElementScope &inner) {
        for (auto [buffer, value] : llvm::zip(memory, accumulators))
          store(inner, buffer, value.getType(), {own, warp}, value);
        return success();
      });
  if (failed(stored))
    return failure();
  barrier(scope);
  Index from{m.min(lane, m.constant(warps - 1)), 0, 0, warps - 1};
  for (auto [buffer, value] : llvm::zip(memory, accumulators))
    value = scope.load(buffer, value.getType(), {own, from});
  return shuffleSteps(scope, items, warps, accumulators);
}

LogicalResult GpuEmitter::reduceColumns(ElementScope &scope, Items items,
                                        const FoldShape &shape, Value lane,
                                        Value slot, Values &accumulators) {
  if (shape.threads == 1)
    return success();
  IndexMath m{scope};
  int64_t points = shape.pointsPerBlock;
  SmallVector<Buffer> memory;
  Index column{slot, 0, 0, points - 1};
  for (Value value : accumulators) {
    memory.push_back(shared(scope, {shape.threads, points}, value.getType()));
    store(scope, memory.back(), value.getType(),
          {Index{lane, 0, 0, shape.threads - 1}, column}, value);
  }
  barrier(scope);
  // Every thread adds up its column, though only those of lane 0 need it.
  Location loc = scope.loc;
  Values first;
  for (auto [buffer, value] : llvm::zip(memory, accumulators))
    first.push_back(
        scope.load(buffer, value.getType(), {Index::constant(0), column}));
  auto loop = builder.create<scf::ForOp>(
      loc, m.constant(1), m.constant(shape.threads), m.constant(1),
      scalarParts(builder, loc, first));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    Index row{loop.getInductionVar(), 0, 0, shape.threads - 1};
    Values others, merged,
        carried = joinedParts(builder, loc, first, loop.getRegionIterArgs());
    for (auto [buffer, value] : llvm::zip(memory, accumulators))
      others.push_back(inner.load(buffer, value.getType(), {row, column}));
    if (failed(merge(inner, items, carried, others, merged)))
      return failure();
    if (loop.getNumResults() > 0)
      builder.create<scf::YieldOp>(loc, scalarParts(builder, loc, merged));
  }
  accumulators = joinedParts(builder, loc, first, loop.getResults());
  return success();
}

LogicalResult GpuEmitter::reduce(ElementScope &scope, Items items,
                                 const FoldShape &shape, Value lane, Value slot,
                                 Values &accumulators) {
  if (shape.isAlongTerms)
    return reduceWarps(scope, items, shape.threads, shape.pointsPerBlock, lane,
                       slot, accumulators);
  return reduceColumns(scope, items, shape, lane, slot, accumulators);
}

//===----------------------------------------------------------------------===//
// Who computes what
//===----------------------------------------------------------------------===//

static void chooseThreads(FoldShape &s) {
  if (s.isAlongTerms) {
    while (s.threads < 512 && s.threads * 2 * s.vector <= s.terms &&
           (s.threads < kWarp || s.points * s.threads < 2 * kBusyThreads))
      s.threads *= 2;
    s.pointsPerBlock = std::max<int64_t>(1, kBlock / s.threads);
  } else {
    s.pointsPerBlock =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(s.points), kWarp, kBlock);
    while (s.threads < 16 && s.threads * 8 <= s.terms &&
           s.points * s.threads < kBusyThreads) {
      int64_t threads = 2 * s.threads;
      int64_t points = std::max(kWarp, s.pointsPerBlock / 2);
      if (threads * points * s.bytes > KernelTarget::gpu().temporaryBytes)
        break;
      s.threads = threads;
      s.pointsPerBlock = points;
    }
  }
  int64_t most = s.isAlongTerms ? 512 : 16;
  while (s.threads == most && s.slices < 64 &&
         s.terms / (s.threads * s.slices) >= 16 * s.vector &&
         s.points * s.threads * s.slices < kBusyThreads)
    s.slices *= 2;
}

FoldShape GpuEmitter::foldShape(Items items) {
  const Item &item = plan.items[items.front()];
  FoldShape shape;
  int64_t innermost = -1;
  for (auto [d, size] : llvm::enumerate(item.space)) {
    (item.fold.folded[d] ? shape.folded : shape.kept).push_back(size);
    if (size > 1)
      innermost = d;
  }
  shape.points = productOf(shape.kept);
  shape.terms = productOf(shape.folded);
  shape.isAlongTerms = innermost >= 0 && item.fold.folded[innermost];
  shape.isInOrder = item.fold.isInOrder();
  for (unsigned i : items)
    for (Value result : plan.items[i].results())
      shape.bytes +=
          storageBytes(computeType(tensorOf(result).getElementType()));
  if (shape.isAlongTerms && !shape.isInOrder &&
      innermost == int64_t(item.space.size()) - 1)
    shape.vector = std::min<int64_t>(vectorOf(items, item.space[innermost]), 4);
  chooseThreads(shape);
  return shape;
}

/// Adds the terms of one thread: `part` of all parts of a point, of which
/// `lane` counts within its slice.
LogicalResult GpuEmitter::foldTerms(ElementScope &scope, const FoldShape &s,
                                    ArrayRef<Index> kept, Value part,
                                    Value slice, Value lane, Value isValid,
                                    TermsFn terms, Values &accumulators) {
  IndexMath m{scope};
  Location loc = scope.loc;
  int64_t parts = s.threads * s.slices;
  int64_t chunks = llvm::divideCeil(s.terms, s.vector);
  Value low, high, step = m.constant(1);
  if (s.isInOrder) {
    int64_t own = llvm::divideCeil(chunks, parts);
    low = m.mul(part, own);
    high = m.min(m.add(low, m.constant(own)), m.constant(chunks));
  } else {
    int64_t own = llvm::divideCeil(chunks, s.slices);
    Value begin = m.mul(slice, own);
    low = m.add(begin, lane);
    high = m.min(m.add(begin, m.constant(own)), m.constant(chunks));
    step = m.constant(s.threads);
  }
  high = m.select(isValid, high, m.constant(0));
  auto loop = builder.create<scf::ForOp>(
      loc, low, high, step, scalarParts(builder, loc, accumulators));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    SmallVector<int64_t> sizes(s.folded);
    if (s.vector > 1)
      sizes.back() /= s.vector;
    IndexVector at = coordinates(inner, loop.getInductionVar(), sizes);
    if (s.vector > 1) {
      Value begin =
          IndexMath{inner}.mul(inner.materialize(at.back()), s.vector);
      at.back() = {begin, 0, 0, s.folded.back() - s.vector};
    }
    Values carried =
        joinedParts(builder, loc, accumulators, loop.getRegionIterArgs());
    for (int64_t v = 0; v < s.vector; ++v) {
      ElementScope element(&inner);
      if (failed(terms(element, kept, at, carried)))
        return failure();
      if (s.vector > 1)
        at.back() = at.back().plus(1);
    }
    if (!accumulators.empty())
      builder.create<scf::YieldOp>(loc, scalarParts(builder, loc, carried));
  }
  accumulators = joinedParts(builder, loc, accumulators, loop.getResults());
  return success();
}

/// One grid; `partials`, where given, get a result per slice.
LogicalResult GpuEmitter::emitFold(Items items, const FoldShape &s,
                                   TermsFn terms, ArrayRef<Buffer> partials) {
  Location loc = plan.items[items.front()].op->getLoc();
  auto thread = [&](ElementScope &scope) -> LogicalResult {
    IndexMath m{scope};
    Value id = threadId(scope), group = blockId(scope);
    Value slice = m.rem(group, s.slices);
    Value lane, slot;
    if (s.isAlongTerms) {
      lane = m.rem(id, s.threads);
      slot = m.div(id, s.threads);
    } else {
      lane = m.div(id, s.pointsPerBlock);
      slot = m.rem(id, s.pointsPerBlock);
    }
    Value point = m.add(m.mul(m.div(group, s.slices), s.pointsPerBlock), slot);
    Value isValid = m.less(point, s.points);
    IndexVector kept = coordinates(scope, point, s.kept);
    Values accumulators;
    if (failed(startValues(scope, items, accumulators)))
      return failure();
    Value part = m.add(m.mul(slice, s.threads), lane);
    {
      ElementScope inner(&scope);
      if (failed(foldTerms(inner, s, kept, part, slice, lane, isValid, terms,
                           accumulators)))
        return failure();
    }
    if (failed(reduce(scope, items, s, lane, slot, accumulators)))
      return failure();
    Value isFirst = m.both(m.equals(lane, 0), isValid);
    return when(scope, isFirst, [&](ElementScope &inner) -> LogicalResult {
      if (partials.empty())
        return finish(inner, items, kept, accumulators);
      for (auto [buffer, value] : llvm::zip(partials, accumulators))
        store(inner, buffer, value.getType(),
              {Index{slice, 0, 0, s.slices - 1},
               Index{point, 0, 0, s.points - 1}},
              value);
      return success();
    });
  };
  return launch(loc, s.pointBlocks() * s.slices, s.block(), thread);
}

LogicalResult GpuEmitter::emitFolds(Items items) {
  FoldShape shape = foldShape(items);
  if (shape.points == 0)
    return success();
  const Item &item = plan.items[items.front()];
  auto terms = [&](ElementScope &scope, ArrayRef<Index> kept,
                   ArrayRef<Index> folded, Values &accumulators) {
    IndexVector at;
    for (bool isFolded : item.fold.folded) {
      ArrayRef<Index> &from = isFolded ? folded : kept;
      at.push_back(from.front());
      from = from.drop_front();
    }
    return addTerms(scope, items, at, accumulators);
  };
  if (shape.slices == 1)
    return emitFold(items, shape, terms, {});
  // A value of each accumulator's type says what the scratch memory holds.
  SmallVector<Buffer> partials;
  SmallVector<Type> types;
  for (unsigned i : items)
    for (Value result : plan.items[i].results()) {
      types.push_back(computeType(tensorOf(result).getElementType()));
      partials.push_back(scratch({shape.slices, shape.points}, types.back()));
    }
  if (failed(emitFold(items, shape, terms, partials)))
    return failure();
  FoldShape second;
  second.kept = shape.kept;
  second.folded = {shape.slices};
  second.points = shape.points;
  second.terms = shape.slices;
  second.isInOrder = shape.isInOrder;
  second.isAlongTerms = shape.points < kWarp;
  second.threads = second.isAlongTerms ? std::min(shape.slices, kWarp) : 1;
  second.pointsPerBlock = kBlock / second.threads;
  auto sums = [&](ElementScope &scope, ArrayRef<Index> kept,
                  ArrayRef<Index> folded,
                  Values &accumulators) -> LogicalResult {
    Index point = Index::constant(0);
    for (auto [index, size] : llvm::zip(kept, shape.kept))
      point = scope.sum(scope.scaled(point, size), index);
    Values others, merged;
    for (auto [buffer, type] : llvm::zip(partials, types))
      others.push_back(scope.load(buffer, type, {folded[0], point}));
    if (failed(merge(scope, items, accumulators, others, merged)))
      return failure();
    accumulators = merged;
    return success();
  };
  return emitFold(items, second, sums, {});
}

} // namespace partopt::codegen
