// Loops of a kernel, part two: one group. Its items share one nest of loops;
// sums over trailing dimensions live in registers (loop-carried), other sums go
// through memory. Loops are cut where an element's condition would otherwise
// depend on the coordinate: the group is emitted once to learn the cuts.
#include "EmitHost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

struct HostEmitter::Cuts {
  /// Per dimension of the space: where loops are cut, ascending.
  SmallVector<SmallVector<int64_t>> positions;
  llvm::DenseMap<Value, unsigned> dimOf; ///< of each loop's variable

  int64_t pieces() const {
    int64_t count = 1;
    for (const auto &list : positions)
      count *= list.size() + 1;
    return count;
  }
  /// Takes over what was asked for; false when that is nothing new.
  bool add(ArrayRef<SplitRequest> requests) {
    bool changed = false;
    for (const SplitRequest &request : requests) {
      auto it = dimOf.find(request.var);
      if (it == dimOf.end())
        continue;
      auto &list = positions[it->second];
      if (llvm::is_contained(list, request.position))
        continue;
      list.push_back(request.position);
      llvm::sort(list);
      changed = true;
    }
    dimOf.clear();
    return changed;
  }
};

/// The depth at which an item's accumulators enter registers.
int64_t HostEmitter::registerDim(const Nest &nest, const Item &item) const {
  return std::max(item.trailingFolded(), nest.rowRank);
}

static IndexVector keptCoordinates(const Item &item, ArrayRef<Index> at) {
  IndexVector kept;
  for (auto [i, index] : llvm::enumerate(at))
    if (!item.fold.folded[i])
      kept.push_back(index);
  return kept;
}

/// Runs `body` at all result coordinates that `at` (the first dimensions of the
/// space) leaves open.
LogicalResult HostEmitter::overKept(
    const Item &item, ElementScope &scope, ArrayRef<Index> at,
    llvm::function_ref<LogicalResult(ElementScope &, ArrayRef<Index>)> body) {
  IndexVector fixed = keptCoordinates(item, at);
  SmallVector<int64_t> open;
  for (int64_t i = at.size(), e = item.space.size(); i < e; ++i)
    if (!item.fold.folded[i])
      open.push_back(item.space[i]);
  return loops(scope, open, [&](ElementScope &inner, ArrayRef<Index> rest) {
    IndexVector place(fixed);
    place.append(rest.begin(), rest.end());
    return body(inner, place);
  });
}

LogicalResult HostEmitter::initAccumulators(unsigned index, ElementScope &scope,
                                            ArrayRef<Index> at) {
  const Item &item = plan.items[index];
  return overKept(
      item, scope, at,
      [&](ElementScope &inner, ArrayRef<Index> place) -> LogicalResult {
        SmallVector<Value> init;
        if (failed(item.fold.init(inner, item.op, init)))
          return failure();
        for (auto [buffer, result, value] :
             llvm::zip(accumulatorsOf[index], item.results(), init)) {
          Type type = tensorOf(result).getElementType();
          bool isWide = buffer.memref != places.lookup(result).memref;
          store(inner, buffer, isWide ? computeType(type) : type, place, value);
        }
        return success();
      });
}

/// Copies accumulators of the compute type into the result, rounded.
LogicalResult HostEmitter::writeBack(unsigned index, ElementScope &scope,
                                     ArrayRef<Index> at) {
  const Item &item = plan.items[index];
  for (auto [buffer, result] :
       llvm::zip(accumulatorsOf[index], item.results())) {
    Buffer place = places.lookup(result);
    Buffer from = buffer;
    if (place.memref == from.memref)
      continue;
    Type type = tensorOf(result).getElementType();
    auto copy = [&](ElementScope &inner,
                    ArrayRef<Index> coordinates) -> LogicalResult {
      Value sum = inner.load(from, computeType(type), coordinates);
      store(inner, place, type, coordinates,
            roundToElement(builder, inner.loc, type, sum));
      return success();
    };
    if (failed(overKept(item, scope, at, copy)))
      return failure();
  }
  return success();
}

/// At depth at.size(): initial values of the sums that start here.
LogicalResult HostEmitter::startFolds(const Nest &nest, const Group &group,
                                      ElementScope &scope, ArrayRef<Index> at,
                                      Values &accumulators) {
  int64_t d = at.size();
  for (unsigned i : group.items) {
    const Item &item = plan.items[i];
    if (item.kind != Item::Kind::Fold)
      continue;
    int64_t start = registerDim(nest, item), first = item.firstFolded();
    if (first == d && first < start && d >= nest.rowRank &&
        failed(initAccumulators(i, scope, at)))
      return failure();
    if (start != d)
      continue;
    SmallVector<Value> values;
    if (first >= start) {
      if (failed(item.fold.init(scope, item.op, values)))
        return failure();
    } else {
      IndexVector place = keptCoordinates(item, at);
      for (auto [buffer, result] :
           llvm::zip(accumulatorsOf[i], item.results())) {
        Type type = tensorOf(result).getElementType();
        bool isWide = buffer.memref != places.lookup(result).memref;
        values.push_back(
            scope.load(buffer, isWide ? computeType(type) : type, place));
      }
    }
    accumulators.append(values.begin(), values.end());
  }
  return success();
}

/// At depth at.size(): stores the sums that started here (the last ones of
/// `accumulators`) and removes them.
LogicalResult HostEmitter::finishFolds(const Nest &nest, const Group &group,
                                       ElementScope &scope, ArrayRef<Index> at,
                                       Values &accumulators) {
  int64_t d = at.size();
  SmallVector<unsigned> ending;
  unsigned count = 0;
  for (unsigned i : group.items)
    if (const Item &item = plan.items[i];
        item.kind == Item::Kind::Fold && registerDim(nest, item) == d) {
      ending.push_back(i);
      count += item.results().size();
    }
  size_t next = accumulators.size() - count;
  for (unsigned i : ending) {
    const Item &item = plan.items[i];
    IndexVector place = keptCoordinates(item, at);
    bool inMemory = item.firstFolded() < d;
    for (auto [r, result] : llvm::enumerate(item.results())) {
      Type type = tensorOf(result).getElementType();
      Buffer buffer = places.lookup(result);
      Value value = accumulators[next++];
      bool isWide = inMemory && accumulatorsOf[i][r].memref != buffer.memref;
      if (isWide)
        store(scope, accumulatorsOf[i][r], computeType(type), place, value);
      else
        store(scope, buffer, type, place,
              roundToElement(builder, scope.loc, type, value));
    }
  }
  accumulators.truncate(accumulators.size() - count);
  for (unsigned i : group.items) {
    const Item &item = plan.items[i];
    if (item.kind == Item::Kind::Fold && item.firstFolded() == d &&
        d >= nest.rowRank && d < registerDim(nest, item) &&
        failed(writeBack(i, scope, at)))
      return failure();
  }
  return success();
}

LogicalResult HostEmitter::emitBody(const Nest &nest, const Group &group,
                                    ElementScope &scope, ArrayRef<Index> at,
                                    Values &accumulators) {
  // Accumulators stand in the order in which they started.
  SmallVector<unsigned> folds;
  for (unsigned i : group.items)
    if (plan.items[i].kind == Item::Kind::Fold)
      folds.push_back(i);
  auto order = [&](unsigned i) {
    return std::make_pair(registerDim(nest, plan.items[i]),
                          llvm::find(group.items, i));
  };
  llvm::sort(folds,
             [&](unsigned a, unsigned b) { return order(a) < order(b); });
  size_t next = 0;
  for (unsigned i : folds) {
    const Item &item = plan.items[i];
    size_t count = item.results().size();
    SmallVector<Value> terms, combined;
    scope.loc = item.op->getLoc();
    if (failed(item.fold.terms(scope, item.op, at, terms)) ||
        failed(item.fold.combine(scope, item.op,
                                 ArrayRef(accumulators).slice(next, count),
                                 terms, combined)))
      return failure();
    llvm::copy(combined, accumulators.begin() + next);
    next += count;
  }
  for (unsigned i : group.items) {
    const Item &item = plan.items[i];
    if (item.kind != Item::Kind::Map)
      continue;
    scope.loc = item.value.getLoc();
    Value scalar = scope.element(item.value, at);
    if (!scalar)
      return failure();
    store(scope, places.lookup(item.value),
          tensorOf(item.value).getElementType(), at, scalar);
  }
  return success();
}

LogicalResult HostEmitter::emitPiece(const Nest &nest, const Group &group,
                                     ElementScope &scope, IndexVector &at,
                                     Values &accumulators, Cuts &cuts,
                                     int64_t low, int64_t high) {
  if (high - low == 1) {
    at.push_back(Index::constant(low));
    LogicalResult result = emitDims(nest, group, scope, at, accumulators, cuts);
    at.pop_back();
    return result;
  }
  OpBuilder::InsertionGuard guard(builder);
  auto loop = builder.create<scf::ForOp>(
      scope.loc, scope.indexConstant(low), scope.indexConstant(high),
      scope.indexConstant(1), scalarParts(builder, scope.loc, accumulators));
  builder.setInsertionPointToStart(loop.getBody());
  cuts.dimOf[loop.getInductionVar()] = at.size();
  bool isInnermost =
      at.size() + 1 == plan.items[group.items.front()].space.size();
  transposed.innermost = isInnermost ? loop.getInductionVar() : Value();
  ElementScope inner(&scope);
  at.push_back({loop.getInductionVar(), 0, low, high - 1});
  Values carried =
      joinedParts(builder, scope.loc, accumulators, loop.getRegionIterArgs());
  LogicalResult result = emitDims(nest, group, inner, at, carried, cuts);
  at.pop_back();
  if (!accumulators.empty() && succeeded(result))
    builder.create<scf::YieldOp>(scope.loc,
                                 scalarParts(builder, scope.loc, carried));
  builder.setInsertionPointAfter(loop);
  accumulators =
      joinedParts(builder, scope.loc, accumulators, loop.getResults());
  return result;
}

LogicalResult HostEmitter::emitDims(const Nest &nest, const Group &group,
                                    ElementScope &scope, IndexVector &at,
                                    Values &accumulators, Cuts &cuts) {
  const auto &space = plan.items[group.items.front()].space;
  if (failed(startFolds(nest, group, scope, at, accumulators)))
    return failure();
  size_t d = at.size();
  if (d == space.size()) {
    if (failed(emitBody(nest, group, scope, at, accumulators)))
      return failure();
  } else {
    int64_t low = 0;
    SmallVector<int64_t> ends = cuts.positions[d];
    ends.push_back(space[d]);
    for (int64_t high : ends) {
      if (high > low || space[d] == 0)
        if (failed(emitPiece(nest, group, scope, at, accumulators, cuts, low,
                             high)))
          return failure();
      low = high;
    }
  }
  return finishFolds(nest, group, scope, at, accumulators);
}

void HostEmitter::eraseAfter(Operation *before) {
  Block *block = builder.getInsertionBlock();
  auto last = [&]() -> Operation * {
    auto end = builder.getInsertionPoint();
    return end == block->begin() ? nullptr : &*std::prev(end);
  };
  while (Operation *op = last()) {
    if (op == before)
      break;
    op->erase();
  }
}

/// The dimension to tile with the innermost one: that of the noted reads, when
/// both are long enough and the group only stores points. -1: none.
int64_t HostEmitter::tileDimOf(const Group &group, const Cuts &cuts) const {
  auto it = cuts.dimOf.find(transposed.wanted);
  const auto &space = plan.items[group.items.front()].space;
  if (it == cuts.dimOf.end() || cuts.pieces() != 1 ||
      space[it->second] < kTile || space.back() < kTile)
    return -1;
  bool onlyPoints = llvm::all_of(group.items, [&](unsigned i) {
    return plan.items[i].kind == Item::Kind::Map;
  });
  return onlyPoints ? int64_t(it->second) : -1;
}

LogicalResult HostEmitter::emitGroup(const Nest &nest, const Group &group,
                                     ElementScope &scope,
                                     const IndexVector &rows) {
  constexpr int maxPieces = 16, maxAttempts = 4;
  Cuts cuts;
  cuts.positions.resize(plan.items[group.items.front()].space.size());
  auto place = builder.getInsertionPoint();
  Operation *before = place == builder.getInsertionBlock()->begin()
                          ? nullptr
                          : &*std::prev(place);
  for (int attempt = 0;; ++attempt) {
    splits.clear();
    transposed = {};
    ElementScope inner(&scope);
    IndexVector at(rows);
    Values accumulators;
    if (failed(emitDims(nest, group, inner, at, accumulators, cuts)))
      return failure();
    transposed.innermost = Value();
    if (int64_t dim = tileDimOf(group, cuts); dim >= 0 && splits.empty()) {
      eraseAfter(before);
      if (failed(emitTiled(nest, group, scope, rows, dim)))
        return failure();
      break;
    }
    Cuts previous = cuts;
    if (!cuts.add(splits) || attempt >= maxAttempts)
      break;
    if (cuts.pieces() > maxPieces) {
      if (previous.pieces() == 1)
        break;
      // Too many pieces: leave the conditions inside whole loops.
      for (auto &list : cuts.positions)
        list.clear();
      attempt = maxAttempts;
    }
    eraseAfter(before);
  }
  for (unsigned i : group.items)
    for (Value result : plan.items[i].results())
      if (plan.items[i].firstFolded() >= nest.rowRank)
        buffers[result] = places.lookup(result);
  return success();
}

} // namespace partopt::codegen
