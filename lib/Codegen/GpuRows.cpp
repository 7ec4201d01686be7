// Nests whose groups wait for each other within a row: a warp (or a part of
// one) or a block takes a row, its threads the elements of the row, and what
// one group leaves for the next lies in shared memory.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

/// One row at hand, and who computes it.
struct GpuEmitter::Rows {
  const Nest &nest;
  int64_t threads = 1, perBlock = 1, vector = 1;
  Value lane, slot, isValid;
  IndexVector at;

  ArrayRef<int64_t> inner(const Item &item) const {
    return ArrayRef(item.space).drop_front(nest.rowRank);
  }
};

static bool isWholeRow(const Item &item, int64_t rowRank) {
  return item.kind == Item::Kind::Fold && item.trailingFolded() <= rowRank;
}

/// A fold within the row that leaves dimensions: its points by threads.
LogicalResult GpuEmitter::emitInnerFold(const Rows &rows, ElementScope &scope,
                                        unsigned number) {
  const Item &item = plan.items[number];
  SmallVector<int64_t> kept, folded;
  for (auto [d, size] : llvm::enumerate(item.space))
    if (int64_t(d) >= rows.nest.rowRank)
      (item.fold.folded[d] ? folded : kept).push_back(size);
  IndexMath m{scope};
  Location loc = item.op->getLoc();
  Value high =
      m.select(rows.isValid, m.constant(productOf(kept)), m.constant(0));
  auto points = builder.create<scf::ForOp>(loc, rows.lane, high,
                                           m.constant(rows.threads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(points.getBody());
  ElementScope point(&scope);
  IndexVector keptAt = coordinates(point, points.getInductionVar(), kept);
  Values accumulators;
  if (failed(startValues(point, number, accumulators)))
    return failure();
  IndexMath n{point};
  auto terms = builder.create<scf::ForOp>(
      loc, n.constant(0), n.constant(productOf(folded)), n.constant(1),
      scalarParts(builder, loc, accumulators));
  {
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(terms.getBody());
    ElementScope term(&point);
    IndexVector foldedAt = coordinates(term, terms.getInductionVar(), folded);
    IndexVector at(rows.at);
    ArrayRef<Index> nextKept = keptAt, nextFolded = foldedAt;
    for (size_t d = rows.nest.rowRank; d < item.space.size(); ++d) {
      ArrayRef<Index> &from = item.fold.folded[d] ? nextFolded : nextKept;
      at.push_back(from.front());
      from = from.drop_front();
    }
    Values carried =
        joinedParts(builder, loc, accumulators, terms.getRegionIterArgs());
    if (failed(addTerms(term, number, at, carried)))
      return failure();
    builder.create<scf::YieldOp>(loc, scalarParts(builder, loc, carried));
  }
  accumulators = joinedParts(builder, loc, accumulators, terms.getResults());
  IndexVector place(rows.at);
  llvm::append_range(place, keptAt);
  return finish(point, number, place, accumulators);
}

/// Maps and folds of whole rows in one walk over the row.
LogicalResult GpuEmitter::emitRowMaps(const Rows &rows, ElementScope &scope,
                                      Items maps, Items folds, bool isOrdered) {
  unsigned first = folds.empty() ? maps.front() : folds.front();
  FoldShape shape;
  shape.folded = llvm::to_vector(rows.inner(plan.items[first]));
  shape.terms = productOf(shape.folded);
  shape.threads = rows.threads;
  shape.isAlongTerms = true;
  shape.isInOrder = isOrdered;
  if (!isOrdered && !shape.folded.empty() &&
      shape.folded.back() % rows.vector == 0)
    shape.vector = rows.vector;
  auto body = [&](ElementScope &inner, ArrayRef<Index>, ArrayRef<Index> rest,
                  Values &accumulators) -> LogicalResult {
    IndexVector at(rows.at);
    llvm::append_range(at, rest);
    if (failed(addTerms(inner, folds, at, accumulators)))
      return failure();
    return emitPoint(inner, maps, at);
  };
  Values accumulators;
  if (failed(startValues(scope, folds, accumulators)))
    return failure();
  IndexMath m{scope};
  ElementScope loop(&scope);
  if (failed(foldTerms(loop, shape, {}, rows.lane, m.constant(0), rows.lane,
                       rows.isValid, body, accumulators)))
    return failure();
  if (folds.empty())
    return success();
  if (failed(reduceWarps(scope, folds, rows.threads, rows.perBlock, rows.lane,
                         rows.slot, accumulators)))
    return failure();
  Value isFirst = m.both(m.equals(rows.lane, 0), rows.isValid);
  return when(scope, isFirst, [&](ElementScope &inner) {
    return finish(inner, folds, rows.at, accumulators);
  });
}

LogicalResult GpuEmitter::emitRowGroup(const Rows &rows, ElementScope &scope,
                                       const Group &group) {
  SmallVector<unsigned> maps, folds;
  for (unsigned i : group.items) {
    const Item &item = plan.items[i];
    if (item.kind == Item::Kind::Map) {
      maps.push_back(i);
    } else if (!isWholeRow(item, rows.nest.rowRank)) {
      if (failed(emitInnerFold(rows, scope, i)))
        return failure();
    } else if (item.fold.isInOrder()) {
      if (failed(emitRowMaps(rows, scope, {}, i, true)))
        return failure();
    } else {
      folds.push_back(i);
    }
  }
  if (maps.empty() && folds.empty())
    return success();
  return emitRowMaps(rows, scope, maps, folds, false);
}

static void chooseRows(const KernelPlan &plan, const Nest &nest, int64_t vector,
                       int64_t &threads, int64_t &perBlock) {
  int64_t longest = 1, count = productOf(nest.rowShape);
  for (const Group &group : nest.groups)
    longest = std::max(longest,
                       productOf(ArrayRef(plan.items[group.items.front()].space)
                                     .drop_front(nest.rowRank)));
  while (threads < 512 && threads * 2 * vector <= longest &&
         (threads < kWarp || count * threads < 2 * kBusyThreads))
    threads *= 2;
  perBlock = threads <= kWarp ? kBlock / threads : 1;
}

/// The row values of `items` that find room in shared memory; the others get
/// scratch memory.
SmallVector<Value> GpuEmitter::placeRowValues(const Nest &nest, Items items,
                                              int64_t perBlock) {
  SmallVector<Value> rowValues;
  int64_t room = KernelTarget::gpu().temporaryBytes;
  for (unsigned i : items)
    for (Value value : plan.items[i].results()) {
      if (!plan.temporaries.lookup(value))
        continue;
      RankedTensorType type = tensorOf(value);
      int64_t bytes = perBlock *
                      productOf(type.getShape().drop_front(nest.rowRank)) *
                      storageBytes(type.getElementType());
      if (bytes > room) {
        places[value] = scratch(type.getShape(), type.getElementType());
        continue;
      }
      room -= bytes;
      rowValues.push_back(value);
    }
  return rowValues;
}

LogicalResult GpuEmitter::emitRows(const Nest &nest) {
  SmallVector<unsigned> items;
  for (const Group &group : nest.groups)
    llvm::append_range(items, group.items);
  Location loc = plan.items[items.front()].loc();
  int64_t count = productOf(nest.rowShape);
  if (count == 0)
    return success();
  int64_t threads = 1, perBlock = 1, vector = kVectorAccess;
  for (unsigned i : items)
    if (ArrayRef<int64_t> space = plan.items[i].space;
        int64_t(space.size()) > nest.rowRank)
      vector = std::min(vector, vectorOf(items, space.back()));
  vector = std::min<int64_t>(vector, 4);
  chooseRows(plan, nest, vector, threads, perBlock);
  SmallVector<Value> rowValues = placeRowValues(nest, items, perBlock);
  auto block = [&](ElementScope &scope) -> LogicalResult {
    IndexMath m{scope};
    Value id = threadId(scope);
    Rows rows{nest, threads, perBlock, vector, {}, {}, {}, {}};
    rows.lane = m.rem(id, threads);
    rows.slot = m.div(id, threads);
    Value row = m.add(m.mul(blockId(scope), perBlock), rows.slot);
    rows.isValid = m.less(row, count);
    rows.at = coordinates(scope, row, nest.rowShape);
    for (Value value : rowValues) {
      SmallVector<int64_t> shape{perBlock};
      llvm::append_range(shape,
                         tensorOf(value).getShape().drop_front(nest.rowRank));
      Buffer memory = shared(scope, shape, tensorOf(value).getElementType());
      places[value] = {memory.memref, nest.rowRank, rows.slot};
    }
    for (const Group &group : nest.groups) {
      if (&group != &nest.groups.front())
        threads > kWarp ? barrier(scope) : syncWarp(scope);
      ElementScope inner(&scope);
      if (failed(emitRowGroup(rows, inner, group)))
        return failure();
      for (unsigned i : group.items)
        for (Value result : plan.items[i].results())
          buffers[result] = places.lookup(result);
    }
    return success();
  };
  LogicalResult result =
      launch(loc, llvm::divideCeil(count, perBlock), threads * perBlock, block);
  for (Value value : rowValues) {
    places.erase(value);
    buffers.erase(value);
  }
  return result;
}

} // namespace partopt::codegen
