// Points that wait for nothing: a thread for a few neighbours of the innermost
// dimension, whose elements LLVM's load and store vectoriser takes together.
#include "EmitGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

int64_t GpuEmitter::smallestBytes(Items items) const {
  int64_t bytes = 8;
  for (unsigned i : items)
    for (Value result : plan.items[i].results())
      bytes = std::min(bytes, storageBytes(tensorOf(result).getElementType()));
  return bytes;
}

int64_t GpuEmitter::vectorOf(Items items, int64_t innermost) const {
  int64_t vector = std::min<int64_t>(kVectorAccess / smallestBytes(items), 8);
  while (vector > 1 && innermost % vector != 0)
    vector /= 2;
  return vector;
}

LogicalResult GpuEmitter::emitPoint(ElementScope &scope, Items items,
                                    ArrayRef<Index> at) {
  for (unsigned i : items) {
    const Item &item = plan.items[i];
    scope.loc = item.value.getLoc();
    Value scalar = scope.element(item.value, at);
    if (!scalar)
      return failure();
    store(scope, places.lookup(item.value),
          tensorOf(item.value).getElementType(), at, scalar);
  }
  return success();
}

LogicalResult GpuEmitter::emitMaps(Items items) {
  SmallVector<int64_t> shape(plan.items[items.front()].space);
  Location loc = plan.items[items.front()].value.getLoc();
  int64_t count = productOf(shape);
  if (count == 0)
    return success();
  if (int64_t dim = transposedDim(items); dim >= 0)
    return emitTransposes(items, dim);
  // A long row that no vector divides has a rest.
  bool hasRest = shape.size() == 1 && shape[0] >= 4096;
  int64_t vector =
      shape.empty() ? 1 : vectorOf(items, hasRest ? 8 : shape.back());
  while (vector > 1 && count / vector < kBusyThreads / 8)
    vector /= 2;
  SmallVector<int64_t> chunks(shape);
  if (vector > 1)
    chunks.back() = llvm::divideCeil(shape.back(), vector);
  int64_t threads = productOf(chunks);
  int64_t block = threads <= kWarp ? kWarp : kBlock;
  auto elements = [&](ElementScope &scope, IndexVector at) -> LogicalResult {
    for (int64_t v = 0; v < vector; ++v) {
      ElementScope inner(&scope);
      if (failed(emitPoint(inner, items, at)))
        return failure();
      if (vector > 1)
        at.back() = at.back().plus(1);
    }
    return success();
  };
  auto thread = [&](ElementScope &scope) -> LogicalResult {
    IndexMath m{scope};
    Value id = m.add(m.mul(blockId(scope), block), threadId(scope));
    return when(scope, m.less(id, threads), [&](ElementScope &active) {
      IndexMath n{active};
      IndexVector at = coordinates(active, id, chunks);
      if (vector == 1)
        return elements(active, at);
      Value begin = n.mul(active.materialize(at.back()), vector);
      at.back() = {begin, 0, 0, shape.back() - vector};
      if (shape.back() % vector == 0)
        return elements(active, at);
      Value last = n.constant(shape.back());
      Value isWhole = n.less(begin, n.constant(shape.back() - vector + 1));
      auto branch = builder.create<scf::IfOp>(loc, isWhole, true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      ElementScope whole(&active), rest(&active);
      if (failed(elements(whole, at)))
        return failure();
      builder.setInsertionPointToStart(branch.elseBlock());
      auto loop =
          builder.create<scf::ForOp>(loc, begin, last, rest.indexConstant(1));
      builder.setInsertionPointToStart(loop.getBody());
      ElementScope single(&rest);
      at.back() = {loop.getInductionVar(), 0, 0, shape.back() - 1};
      return emitPoint(single, items, at);
    });
  };
  return launch(loc, llvm::divideCeil(threads, block), block, thread);
}

} // namespace partopt::codegen
