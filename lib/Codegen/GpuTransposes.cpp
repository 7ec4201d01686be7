// Reads across the grain on a GPU: a block takes a square tile of the result,
// reads what lies across along its own grain into shared memory, whose rows are
// padded by one element so that columns lie in different banks, and goes on
// from there.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// Side of a tile, which a warp reads and writes a row of; the rows that the
/// warps of a block take at once.
constexpr int64_t kSide = kWarp, kRowsAtOnce = kBlock / kWarp;
/// Tiles of more reads would not leave room for other blocks.
constexpr unsigned kMostTiles = 6;

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

/// The variable of a tile; null where the block has no room for more.
memref::GlobalOp createTile(OpBuilder &b, Location loc, func::FuncOp function,
                            Type element) {
  auto module = function->getParentOfType<ModuleOp>();
  std::string name;
  unsigned number = 0;
  do
    name = (function.getName() + "_tile" + Twine(number)).str();
  while (module.lookupSymbol(name) && ++number);
  if (number / kMostTiles > 0)
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto type =
      MemRefType::get({kSide, kSide + 1}, element, MemRefLayoutAttrInterface(),
                      b.getI64IntegerAttr(kSharedSpace));
  return b.create<memref::GlobalOp>(
      loc, name, b.getStringAttr("private"), type, b.getUnitAttr(),
      /*constant=*/false, b.getI64IntegerAttr(kVectorAccess));
}

/// Before the barrier: thread (x, y) reads element x of the tile's rows y,
/// y + 8, ...
void fillTile(ElementScope &scope, const TransposedReads &reads,
              const Buffer &buffer, ArrayRef<Index> at, Value tile) {
  OpBuilder &b = scope.builder;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(reads.tileLoops);
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

Value loadFromSharedTile(ElementScope &scope, const TransposedReads &reads,
                         const Buffer &buffer, ArrayRef<Index> at) {
  if (!isAcross(reads, at))
    return {};
  OpBuilder &b = scope.builder;
  auto type = cast<MemRefType>(buffer.memref.getType());
  auto variable =
      createTile(b, scope.loc, reads.tileLoops->getParentOfType<func::FuncOp>(),
                 type.getElementType());
  if (!variable)
    return {};
  Value tile;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(reads.tileLoops);
    tile = b.create<memref::GetGlobalOp>(scope.loc, variable.getType(),
                                         variable.getName());
  }
  ElementScope fresh(b, scope.loc);
  fillTile(fresh, reads, buffer, at, tile);
  IndexMath m{scope};
  Value y = m.sub(reads.rowVar, reads.rowBegin);
  return b.create<memref::LoadOp>(scope.loc, tile,
                                  ValueRange{reads.columnOffset, y});
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
    barrier(scope);
    transposed.tileLoops = &*std::prev(builder.getInsertionPoint());
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
