// Grids of a kernel: its buffers, its nests, and what a grid is made of.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen {

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

Value IndexMath::add(Value x, Value y) {
  return scope.builder.create<arith::AddIOp>(scope.loc, x, y);
}
Value IndexMath::sub(Value x, Value y) {
  return scope.builder.create<arith::SubIOp>(scope.loc, x, y);
}
Value IndexMath::mul(Value x, int64_t y) {
  return y == 1
             ? x
             : scope.builder.create<arith::MulIOp>(scope.loc, x, constant(y));
}
static Value like(ElementScope &scope, Value x, int64_t y) {
  return scope.builder.create<arith::ConstantOp>(
      scope.loc, scope.builder.getIntegerAttr(x.getType(), y));
}
Value IndexMath::div(Value x, int64_t y) {
  return y == 1 ? x
                : scope.builder.create<arith::DivUIOp>(scope.loc, x,
                                                       like(scope, x, y));
}
Value IndexMath::rem(Value x, int64_t y) {
  return y == 1 ? like(scope, x, 0)
                : scope.builder.create<arith::RemUIOp>(scope.loc, x,
                                                       like(scope, x, y));
}
Value IndexMath::min(Value x, Value y) {
  return scope.builder.create<arith::MinSIOp>(scope.loc, x, y);
}
Value IndexMath::less(Value x, Value y) {
  return scope.builder.create<arith::CmpIOp>(scope.loc,
                                             arith::CmpIPredicate::slt, x, y);
}
Value IndexMath::equals(Value x, int64_t y) {
  return scope.builder.create<arith::CmpIOp>(
      scope.loc, arith::CmpIPredicate::eq, x, constant(y));
}
Value IndexMath::select(Value condition, Value x, Value y) {
  return scope.builder.create<arith::SelectOp>(scope.loc, condition, x, y);
}
Value IndexMath::both(Value x, Value y) {
  return scope.builder.create<arith::AndIOp>(scope.loc, x, y);
}

IndexVector GpuEmitter::coordinates(ElementScope &scope, Value linear,
                                    ArrayRef<int64_t> shape) {
  IndexMath m{scope};
  IndexVector at(shape.size(), Index::constant(0));
  // Divisions of words of 32 bits take a third of the instructions.
  bool isNarrow = productOf(shape) <= std::numeric_limits<int32_t>::max();
  Type index = builder.getIndexType();
  if (isNarrow)
    linear = builder.create<arith::IndexCastUIOp>(scope.loc,
                                                  builder.getI32Type(), linear);
  auto widened = [&](Value value) -> Value {
    return isNarrow
               ? builder.create<arith::IndexCastUIOp>(scope.loc, index, value)
               : value;
  };
  int64_t outermost = 0;
  while (outermost < int64_t(shape.size()) && shape[outermost] == 1)
    ++outermost;
  for (int64_t dim = shape.size(); dim-- > outermost;) {
    int64_t size = shape[dim];
    if (size == 1)
      continue;
    Value var = dim == outermost ? linear : m.rem(linear, size);
    at[dim] = {widened(var), 0, 0, size - 1};
    if (dim != outermost)
      linear = m.div(linear, size);
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value GpuEmitter::threadId(ElementScope &scope) {
  Value id = builder.create<NVVM::ThreadIdXOp>(scope.loc, builder.getI32Type());
  return builder.create<arith::IndexCastUIOp>(scope.loc, builder.getIndexType(),
                                              id);
}

Value GpuEmitter::blockId(ElementScope &scope) {
  Value id = builder.create<NVVM::BlockIdXOp>(scope.loc, builder.getI32Type());
  return builder.create<arith::IndexCastUIOp>(scope.loc, builder.getIndexType(),
                                              id);
}

void GpuEmitter::barrier(ElementScope &scope) {
  builder.create<NVVM::Barrier0Op>(scope.loc);
}

void GpuEmitter::syncWarp(ElementScope &scope) {
  Value all = builder.create<arith::ConstantOp>(scope.loc,
                                                builder.getI32IntegerAttr(-1));
  builder.create<NVVM::SyncWarpOp>(scope.loc, all);
}

/// Words of 32 bits go from thread to thread; other values in such words.
Value GpuEmitter::shuffleDown(ElementScope &scope, Value value,
                              int64_t offset) {
  Location loc = scope.loc;
  Type type = value.getType(), word = builder.getI32Type();
  if (isa<ComplexType>(type)) {
    auto [re, im] = splitParts(builder, loc, value);
    return joinParts(builder, loc, shuffleDown(scope, re, offset),
                     shuffleDown(scope, im, offset));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type bits = builder.getIntegerType(width);
  if (type != bits)
    value = builder.create<arith::BitcastOp>(loc, bits, value);
  if (width == 64) {
    Value half =
        builder.create<arith::ConstantOp>(loc, builder.getI64IntegerAttr(32));
    Value low = builder.create<arith::TruncIOp>(loc, word, value);
    Value high = builder.create<arith::TruncIOp>(
        loc, word, builder.create<arith::ShRUIOp>(loc, value, half));
    low = builder.create<arith::ExtUIOp>(loc, bits,
                                         shuffleDown(scope, low, offset));
    high = builder.create<arith::ExtUIOp>(loc, bits,
                                          shuffleDown(scope, high, offset));
    value = builder.create<arith::OrIOp>(
        loc, low, builder.create<arith::ShLIOp>(loc, high, half));
  } else {
    auto number = [&](int32_t n) -> Value {
      return builder.create<arith::ConstantOp>(loc,
                                               builder.getI32IntegerAttr(n));
    };
    if (width < 32)
      value = builder.create<arith::ExtUIOp>(loc, word, value);
    value = builder.create<NVVM::ShflOp>(loc, word, number(-1), value,
                                         number(offset), number(kWarp - 1),
                                         NVVM::ShflKind::down, UnitAttr());
    if (width < 32)
      value = builder.create<arith::TruncIOp>(loc, bits, value);
  }
  return type == bits
             ? value
             : Value(builder.create<arith::BitcastOp>(loc, type, value));
}

//===----------------------------------------------------------------------===//
// Grids and memory
//===----------------------------------------------------------------------===//

LogicalResult GpuEmitter::launch(Location loc, int64_t grid, int64_t block,
                                 ScopeFn body) {
  OpBuilder::InsertionGuard guard(builder);
  auto region = builder.create<scf::ExecuteRegionOp>(loc, TypeRange());
  region->setAttr(kGridAttr, builder.getI64IntegerAttr(grid));
  region->setAttr(kBlockAttr, builder.getI64IntegerAttr(block));
  builder.setInsertionPointToStart(&region.getRegion().emplaceBlock());
  ElementScope scope = topScope(loc);
  if (failed(body(scope)))
    return failure();
  builder.create<scf::YieldOp>(loc);
  return success();
}

LogicalResult GpuEmitter::when(ElementScope &scope, Value condition,
                               ScopeFn body) {
  OpBuilder::InsertionGuard guard(builder);
  auto branch = builder.create<scf::IfOp>(scope.loc, condition, false);
  builder.setInsertionPointToStart(branch.thenBlock());
  ElementScope inner(&scope);
  return body(inner);
}

/// `scope` stands between grids; what is known in it is known in the grid.
LogicalResult GpuEmitter::parallel(ElementScope &scope, ArrayRef<int64_t> shape,
                                   BodyFn body) {
  int64_t count = productOf(shape);
  if (count == 0)
    return success();
  int64_t block = count <= kWarp ? kWarp : kBlock / 2;
  auto thread = [&](ElementScope &) -> LogicalResult {
    ElementScope inner(&scope);
    IndexMath m{inner};
    Value id = m.add(m.mul(blockId(inner), block), threadId(inner));
    return when(inner, m.less(id, count), [&](ElementScope &active) {
      return body(active, coordinates(active, id, shape));
    });
  };
  return launch(scope.loc, llvm::divideCeil(count, block), block, thread);
}

Buffer GpuEmitter::scratch(ArrayRef<int64_t> shape, Type elementType) {
  MemRefType type = bufferType(shape, elementType);
  Location loc = target.getLoc();
  Value memory = target.getBody().front().getArguments().back();
  Value offset = builder.create<arith::ConstantIndexOp>(loc, scratchSize);
  scratchSize +=
      llvm::alignTo(type.getNumElements() * storageBytes(elementType), 256);
  return {
      builder.create<memref::ViewOp>(loc, type, memory, offset, ValueRange())};
}

Buffer GpuEmitter::shared(ElementScope &scope, ArrayRef<int64_t> shape,
                          Type elementType) {
  MemRefType plain = bufferType(shape, elementType);
  auto type = MemRefType::get(plain.getShape(), plain.getElementType(),
                              MemRefLayoutAttrInterface(),
                              builder.getI64IntegerAttr(kSharedSpace));
  std::string name = (target.getName() + "_shared" + Twine(numShared++)).str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(target);
    builder.create<memref::GlobalOp>(scope.loc, name,
                                     builder.getStringAttr("private"), type,
                                     builder.getUnitAttr(), /*constant=*/false,
                                     builder.getI64IntegerAttr(kVectorAccess));
  }
  return {builder.create<memref::GetGlobalOp>(scope.loc, type, name)};
}

void GpuEmitter::createBuffers() {
  createArguments();
  for (auto [value, isRow] : plan.temporaries) {
    unsigned item = 0;
    while (!llvm::is_contained(plan.items[item].results(), value))
      ++item;
    if (!isRow)
      places[value] =
          scratch(tensorOf(value).getShape(), tensorOf(value).getElementType());
  }
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult GpuEmitter::emitLoops(const Item &item) {
  SmallVector<Buffer> results;
  for (Value result : item.results())
    results.push_back(places.lookup(result));
  const OpRule *rule = RuleTable::get().lookup(item.op);
  OpRule::EmitFn emit = rule->gpuEmit ? rule->gpuEmit : rule->emit;
  return emit(*this, item.op, results);
}

/// A nest without rows: folds of one kind together, then all maps, which may
/// write over what the folds read.
LogicalResult GpuEmitter::emitNest(unsigned number) {
  const Nest &nest = plan.nests[number];
  if (nest.groups.size() > 1)
    return emitRows(nest);
  SmallVector<unsigned> maps;
  SmallVector<SmallVector<unsigned>> folds;
  for (unsigned i : nest.groups.front().items) {
    const Item &item = plan.items[i];
    if (item.kind == Item::Kind::Map) {
      maps.push_back(i);
      continue;
    }
    auto isAlike = [&](ArrayRef<unsigned> others) {
      const Item &other = plan.items[others.front()];
      return other.fold.folded == item.fold.folded &&
             other.fold.isInOrder() == item.fold.isInOrder();
    };
    auto *home = llvm::find_if(folds, isAlike);
    if (home == folds.end())
      folds.push_back({i});
    else
      home->push_back(i);
  }
  for (ArrayRef<unsigned> items : folds)
    if (failed(emitFolds(items)))
      return failure();
  return maps.empty() ? success() : emitMaps(maps);
}

LogicalResult GpuEmitter::run() {
  builder.setInsertionPointToStart(&target.getBody().front());
  createBuffers();
  for (unsigned n = 0, e = plan.nests.size(); n < e; ++n) {
    const Item &first =
        plan.items[llvm::find(plan.nestOf, n) - plan.nestOf.begin()];
    bool isLoops = first.kind == Item::Kind::Loops;
    if (failed(isLoops ? emitLoops(first) : emitNest(n)))
      return failure();
    for (auto [item, home] : llvm::zip(plan.items, plan.nestOf))
      if (home == n)
        for (Value result : item.results())
          if (Buffer place = places.lookup(result); place.memref)
            buffers[result] = place;
  }
  if (failed(emitCopies()))
    return failure();
  builder.create<func::ReturnOp>(target.getLoc());
  return success();
}

} // namespace partopt::codegen
