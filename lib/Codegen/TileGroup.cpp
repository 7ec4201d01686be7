// Reads across the grain. Where a kernel reads memory along another dimension
// than the one it writes along (a transpose, alone or inside an expression),
// its two loops run over square tiles; each tile is read along the grain as
// vectors, turned in registers by shuffles and left in a small buffer, from
// which the tile's loops then read.
#include "EmitHost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// True when `inner` is the variable of one coordinate, not the last, `outer`
/// of the last one only, and all others are loop variables or constants.
bool isAcrossTheGrain(ArrayRef<Index> at, Value inner, Value outer) {
  if (at.size() < 2 || !outer || at.back().var != outer || outer == inner)
    return false;
  unsigned innerUses = 0;
  for (const Index &index : at.drop_back()) {
    innerUses += index.var == inner;
    bool isSimple = !index.var || index.var == inner ||
                    (isa<BlockArgument>(index.var) && index.var != outer);
    if (!isSimple)
      return false;
  }
  return innerUses == 1;
}

/// Vectors hold no complex numbers: those are read across the grain.
bool fitsVectors(const Buffer &buffer) {
  return !isa<ComplexType>(
      cast<MemRefType>(buffer.memref.getType()).getElementType());
}

/// Turns a square of rows: stage s swaps bit s of the row and of the lane.
void transposeRows(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows) {
  int64_t size = rows.size();
  for (int64_t s = 1; s < size; s *= 2)
    for (int64_t i = 0; i < size; ++i) {
      if (i & s)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t k = 0; k < size; ++k) {
        low.push_back(k & s ? size + (k ^ s) : k);
        high.push_back(k & s ? size + k : k | s);
      }
      Value x = rows[i], y = rows[i | s];
      rows[i] = b.create<vector::ShuffleOp>(loc, x, y, low);
      rows[i | s] = b.create<vector::ShuffleOp>(loc, x, y, high);
    }
}

} // namespace

void ElementScope::noteTransposedRead(const Buffer &buffer,
                                      ArrayRef<Index> at) {
  if (transposed && transposed->innermost && !transposed->wanted &&
      buffer.rowRank == 0 && !at.empty() && fitsVectors(buffer) &&
      isAcrossTheGrain(at, transposed->innermost, at.back().var))
    transposed->wanted = at.back().var;
}

/// Reads the tile as vectors in front of its loops, and turns it there.
static Value loadFromTile(ElementScope &scope, const TransposedReads &reads,
                          const Buffer &buffer, ArrayRef<Index> at) {
  if (!fitsVectors(buffer) ||
      !isAcrossTheGrain(at, reads.columnVar, reads.rowVar))
    return {};
  OpBuilder &builder = scope.builder;
  Location loc = scope.loc;
  Type element = cast<MemRefType>(buffer.memref.getType()).getElementType();
  Value tile;
  {
    OpBuilder::InsertionGuard guard(builder);
    auto function = reads.tileLoops->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.getBody().front());
    tile = builder.create<memref::AllocaOp>(
        loc, MemRefType::get({kTile, kTile}, element),
        builder.getI64IntegerAttr(64));
    builder.setInsertionPoint(reads.tileLoops);
    auto shifted = [&](Value base, int64_t offset) -> Value {
      return offset == 0 ? base
                         : Value(builder.create<arith::AddIOp>(
                               loc, base, scope.indexConstant(offset)));
    };
    auto type = VectorType::get({kTile}, element);
    SmallVector<Value> rows;
    for (int64_t j = 0; j < kTile; ++j) {
      SmallVector<Value> place;
      for (const Index &index : at)
        place.push_back(!index.var ? scope.indexConstant(index.offset)
                        : index.var == reads.columnVar
                            ? shifted(reads.columnBegin, index.offset + j)
                        : index.var == reads.rowVar
                            ? shifted(reads.rowBegin, index.offset)
                            : shifted(index.var, index.offset));
      rows.push_back(
          builder.create<vector::LoadOp>(loc, type, buffer.memref, place));
    }
    transposeRows(builder, loc, rows);
    for (auto [i, row] : llvm::enumerate(rows))
      builder.create<vector::StoreOp>(
          loc, row, tile,
          ValueRange{scope.indexConstant(i), scope.indexConstant(0)});
  }
  return builder.create<memref::LoadOp>(
      loc, tile, ValueRange{reads.rowOffset, reads.columnOffset});
}

LogicalResult HostEmitter::overRange(ElementScope &scope, IndexVector &at,
                                     int64_t dim, int64_t low, int64_t high,
                                     int64_t step, RangeBody body) {
  if (low >= high)
    return success();
  if (high - low <= step) {
    at[dim] = Index::constant(low);
    return body(scope);
  }
  OpBuilder::InsertionGuard guard(builder);
  auto loop = builder.create<scf::ForOp>(scope.loc, scope.indexConstant(low),
                                         scope.indexConstant(high),
                                         scope.indexConstant(step));
  builder.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  at[dim] = {loop.getInductionVar(), 0, low, high - 1};
  return body(inner);
}

/// One tile, whose corner `at` holds in both dimensions.
LogicalResult HostEmitter::emitTile(const Nest &nest, const Group &group,
                                    ElementScope &scope, IndexVector &at,
                                    int64_t tileDim) {
  Index &row = at[tileDim], &column = at.back();
  Index rowCorner = row, columnCorner = column;
  transposed.rowBegin = scope.materialize(row);
  transposed.columnBegin = scope.materialize(column);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = [&](ElementScope &outer) {
    auto created = builder.create<scf::ForOp>(outer.loc, outer.indexConstant(0),
                                              outer.indexConstant(kTile),
                                              outer.indexConstant(1));
    builder.setInsertionPointToStart(created.getBody());
    return created;
  };
  auto moved = [&](Value begin, Value offset, const Index &corner) -> Index {
    Value value = builder.create<arith::AddIOp>(scope.loc, begin, offset);
    return {value, 0, corner.low, corner.high + kTile - 1};
  };
  ElementScope rowScope(&scope), columnScope(&rowScope);
  scf::ForOp rows = loop(scope);
  transposed.rowOffset = rows.getInductionVar();
  row = moved(transposed.rowBegin, transposed.rowOffset, rowCorner);
  scf::ForOp columns = loop(rowScope);
  transposed.columnOffset = columns.getInductionVar();
  column = moved(transposed.columnBegin, transposed.columnOffset, columnCorner);
  transposed.rowVar = row.var;
  transposed.columnVar = column.var;
  transposed.tileLoops = rows;
  transposed.load = [this](ElementScope &inner, const Buffer &buffer,
                           ArrayRef<Index> place) {
    return loadFromTile(inner, transposed, buffer, place);
  };
  Values none;
  LogicalResult result = emitBody(nest, group, columnScope, at, none);
  transposed = {};
  row = rowCorner;
  column = columnCorner;
  return result;
}

/// Both dimensions: whole tiles, then what is left of each.
LogicalResult HostEmitter::emitTiles(const Nest &nest, const Group &group,
                                     ElementScope &scope, IndexVector &at,
                                     int64_t tileDim) {
  const auto &space = plan.items[group.items.front()].space;
  int64_t last = space.size() - 1;
  int64_t rows = space[tileDim], columns = space[last];
  int64_t wholeRows = rows / kTile * kTile;
  int64_t wholeColumns = columns / kTile * kTile;
  auto plain = [&](int64_t rowLow, int64_t rowHigh, int64_t columnLow) {
    return overRange(
        scope, at, tileDim, rowLow, rowHigh, 1, [&](ElementScope &outer) {
          return overRange(outer, at, last, columnLow, columns, 1,
                           [&](ElementScope &inner) {
                             Values none;
                             return emitBody(nest, group, inner, at, none);
                           });
        });
  };
  auto tiles = overRange(
      scope, at, tileDim, 0, wholeRows, kTile, [&](ElementScope &outer) {
        return overRange(outer, at, last, 0, wholeColumns, kTile,
                         [&](ElementScope &inner) {
                           return emitTile(nest, group, inner, at, tileDim);
                         });
      });
  return success(succeeded(tiles) &&
                 succeeded(plain(0, wholeRows, wholeColumns)) &&
                 succeeded(plain(wholeRows, rows, 0)));
}

LogicalResult HostEmitter::emitTiled(const Nest &nest, const Group &group,
                                     ElementScope &scope,
                                     const IndexVector &rows, int64_t tileDim) {
  const auto &space = plan.items[group.items.front()].space;
  IndexVector at(rows);
  at.resize(space.size());
  transposed = {};
  auto descend = [&](auto &self, ElementScope &outer,
                     int64_t dim) -> LogicalResult {
    if (dim == tileDim)
      return self(self, outer, dim + 1);
    if (dim + 1 == int64_t(space.size()))
      return emitTiles(nest, group, outer, at, tileDim);
    return overRange(
        outer, at, dim, 0, space[dim], 1,
        [&](ElementScope &inner) { return self(self, inner, dim + 1); });
  };
  ElementScope inner(&scope);
  return descend(descend, inner, rows.size());
}

} // namespace partopt::codegen
