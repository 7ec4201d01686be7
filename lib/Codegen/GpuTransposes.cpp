// Reads across the grain on a GPU: a block takes a square tile of the result,
// reads what lies across along its own grain into shared memory, whose rows are
// padded by one element so that columns lie in different banks, and goes on
// from there.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// Side of a tile, which a warp reads and writes a row of; the rows that the
/// warps of a block take at once.
constexpr int64_t kSide = kWarp, kRowsAtOnce = kBlock / kWarp;
/// More would not leave room for other blocks: tiles of six reads of f32.
constexpr int64_t kTileBytes = 6 * kSide * (kSide + 1) * 4;

/// True when `at` reads along the tile's rows, and whatever else it depends on
/// is known before the tile.
bool isAcross(const TransposedReads &reads, ArrayRef<Index> at) {
  if (at.size() < 2 || at.back().var != reads.rowVar)
    return false;
  unsigned columns = 0;
  for (Index index : at.drop_back()) {
    columns += index.var == reads.columnVar;
    bool isKnown = !index.var || index.var == reads.columnVar ||
                   (index.var != reads.rowVar &&
                    index.var.getParentBlock() == reads.tileLoops->getBlock());
    if (!isKnown)
      return false;
  }
  return columns == 1;
}

/// Thread (x, y) reads element x of the tile's rows y, y + 8, ...
void fillTile(ElementScope &scope, const TransposedReads &reads,
              const Buffer &buffer, ArrayRef<Index> at, Value tile) {
  OpBuilder &b = scope.builder;
  IndexMath m{scope};
  ArrayRef<int64_t> shape =
      cast<MemRefType>(buffer.memref.getType()).getShape();
  for (int64_t step = 0; step < kSide; step += kRowsAtOnce) {
    Value y = m.add(reads.rowOffset, m.constant(step));
    Value condition;
    SmallVector<Value> place;
    for (auto [index, size] : llvm::zip(at, shape)) {
      bool isRow = index.var == reads.rowVar;
      if (!isRow && index.var != reads.columnVar) {
        place.push_back(index.var ? m.add(index.var, m.constant(index.offset))
                                  : m.constant(index.offset));
        continue;
      }
      Value moved = m.add(isRow ? m.add(reads.rowBegin, reads.columnOffset)
                                : m.add(reads.columnBegin, y),
                          m.constant(index.offset));
      Value isInside = m.less(moved, size);
      condition = condition ? m.both(condition, isInside) : isInside;
      place.push_back(moved);
    }
    auto branch = b.create<scf::IfOp>(scope.loc, condition, false);
    OpBuilder inner(branch.thenBlock(), branch.thenBlock()->begin());
    Value stored =
        inner.create<memref::LoadOp>(scope.loc, buffer.memref, place);
    inner.create<memref::StoreOp>(scope.loc, stored, tile,
                                  ValueRange{y, reads.columnOffset});
  }
}

} // namespace

Value GpuEmitter::loadFromTile(ElementScope &scope, const Buffer &buffer,
                               ArrayRef<Index> at) {
  Type element = cast<MemRefType>(buffer.memref.getType()).getElementType();
  int64_t bytes = kSide * (kSide + 1) * storageBytes(element);
  if (!isAcross(transposed, at) || bytes > tileRoom)
    return {};
  tileRoom -= bytes;
  Value tile;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(transposed.tileLoops);
    ElementScope before(builder, scope.loc);
    tile = shared(before, {kSide, kSide + 1}, element).memref;
    fillTile(before, transposed, buffer, at, tile);
  }
  Value y = IndexMath{scope}.sub(transposed.rowVar, transposed.rowBegin);
  return builder.create<memref::LoadOp>(scope.loc, tile,
                                        ValueRange{transposed.columnOffset, y});
}

/// Emits the points once as plain loops to see what they read, and drops them.
int64_t GpuEmitter::transposedDim(Items items) {
  ArrayRef<int64_t> shape = plan.items[items.front()].space;
  if (shape.size() < 2 || shape.back() < kSide / 2)
    return -1;
  Location loc = plan.items[items.front()].value.getLoc();
  auto trial = builder.create<scf::ExecuteRegionOp>(loc, TypeRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&trial.getRegion().emplaceBlock());
  ElementScope scope = topScope(loc);
  scope.transposed = &transposed;
  transposed = {};
  int64_t found = -1;
  auto point = [&](ElementScope &inner, ArrayRef<Index> at) {
    transposed.innermost = at.back().var;
    LogicalResult result = emitPoint(inner, items, at);
    for (auto [d, index] : llvm::enumerate(at))
      if (index.var && index.var == transposed.wanted)
        found = d;
    return result;
  };
  LogicalResult result = loops(scope, shape, point);
  transposed = {};
  trial.erase();
  bool isLong = found >= 0 && shape[found] >= kSide / 2;
  return succeeded(result) && isLong ? found : -1;
}

LogicalResult GpuEmitter::emitTransposes(Items items, int64_t dim) {
  SmallVector<int64_t> shape(plan.items[items.front()].space), tiles(shape);
  Location loc = plan.items[items.front()].value.getLoc();
  tiles[dim] = llvm::divideCeil(shape[dim], kSide);
  tiles.back() = llvm::divideCeil(shape.back(), kSide);
  auto block = [&](ElementScope &scope) -> LogicalResult {
    IndexMath m{scope};
    Value id = threadId(scope);
    IndexVector at = coordinates(scope, blockId(scope), tiles);
    transposed = {};
    transposed.columnOffset = m.rem(id, kWarp);
    transposed.rowOffset = m.div(id, kWarp);
    transposed.rowBegin = m.mul(scope.materialize(at[dim]), kSide);
    transposed.columnBegin = m.mul(scope.materialize(at.back()), kSide);
    transposed.columnVar =
        m.add(transposed.columnBegin, transposed.columnOffset);
    barrier(scope); // Tiles are filled in front of it.
    transposed.tileLoops = &*std::prev(builder.getInsertionPoint());
    transposed.load = [this](ElementScope &inner, const Buffer &buffer,
                             ArrayRef<Index> place) {
      return loadFromTile(inner, buffer, place);
    };
    tileRoom = kTileBytes;
    scope.transposed = &transposed;
    Value first = m.add(transposed.rowBegin, transposed.rowOffset);
    Value end = m.min(m.add(transposed.rowBegin, m.constant(kSide)),
                      m.constant(shape[dim]));
    Value isInside = m.less(transposed.columnVar, shape.back());
    auto loop = builder.create<scf::ForOp>(
        loc, first, m.select(isInside, end, first), m.constant(kRowsAtOnce));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    transposed.rowVar = loop.getInductionVar();
    at[dim] = {transposed.rowVar, 0, 0, shape[dim] - 1};
    at.back() = {transposed.columnVar, 0, 0, shape.back() - 1};
    LogicalResult result = emitPoint(inner, items, at);
    transposed = {};
    return result;
  };
  return launch(loc, productOf(tiles), kBlock, block);
}

} // namespace partopt::codegen
