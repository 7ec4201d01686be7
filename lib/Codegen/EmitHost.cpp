// Loops of a host kernel, part one: its buffers, its nests and the rows that
// groups share. Part two (EmitGroup.cpp) is what happens inside one group's
// loops.
#include "EmitHost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

ElementScope HostEmitter::topScope(Location loc) {
  ElementScope scope = KernelEmitter::topScope(loc);
  scope.splits = &splits;
  scope.transposed = &transposed;
  return scope;
}

/// Sums through memory keep the compute type when that differs from the
/// result's and the stack has room.
void HostEmitter::createAccumulators(unsigned index) {
  const Item &item = plan.items[index];
  SmallVector<Buffer, 1> list;
  int64_t room = KernelTarget::host().temporaryBytes - plan.stackBytes;
  for (Value result : item.results()) {
    Buffer place = places.lookup(result);
    auto type = cast<MemRefType>(place.memref.getType());
    Type compute = computeType(tensorOf(result).getElementType());
    int64_t bytes = type.getNumElements() * storageBytes(compute);
    bool isNarrow = tensorOf(result).getElementType().isBF16() ||
                    tensorOf(result).getElementType().isF16();
    if (isNarrow && bytes <= room)
      place.memref = builder.create<memref::AllocaOp>(
          target.getLoc(), MemRefType::get(type.getShape(), compute),
          builder.getI64IntegerAttr(64));
    list.push_back(place);
  }
  accumulatorsOf[index] = list;
}

void HostEmitter::createBuffers() {
  createArguments();
  for (auto [value, isRow] : plan.temporaries) {
    unsigned item = 0;
    while (!llvm::is_contained(plan.items[item].results(), value))
      ++item;
    int64_t rows = isRow ? plan.nests[plan.nestOf[item]].rowRank : 0;
    RankedTensorType type = tensorOf(value);
    MemRefType memref =
        bufferType(type.getShape().drop_front(rows), type.getElementType());
    places[value] = {builder.create<memref::AllocaOp>(
                         value.getLoc(), memref, builder.getI64IntegerAttr(64)),
                     rows};
  }
  for (auto [i, item] : llvm::enumerate(plan.items))
    if (item.kind == Item::Kind::Fold &&
        item.firstFolded() < registerDim(plan.nests[plan.nestOf[i]], item))
      createAccumulators(i);
}

/// An op with loops of its own.
LogicalResult HostEmitter::emitLoops(const Item &item) {
  SmallVector<Buffer> results;
  for (Value result : item.results())
    results.push_back(places.lookup(result));
  if (failed(RuleTable::get().lookup(item.op)->emit(*this, item.op, results)))
    return failure();
  for (Value result : item.results())
    buffers[result] = places.lookup(result);
  return success();
}

/// The outer loops of a nest; the groups are inside all of them.
LogicalResult HostEmitter::emitRows(const Nest &nest, ElementScope &scope,
                                    IndexVector &at) {
  int64_t d = at.size();
  if (d == nest.rowRank) {
    for (const Group &group : nest.groups)
      if (failed(emitGroup(nest, group, scope, at)))
        return failure();
    return success();
  }
  auto summedFromHere = [&](auto action) -> LogicalResult {
    for (const Group &group : nest.groups)
      for (unsigned i : group.items)
        if (plan.items[i].firstFolded() == d && failed(action(i)))
          return failure();
    return success();
  };
  if (failed(summedFromHere(
          [&](unsigned i) { return initAccumulators(i, scope, at); })))
    return failure();
  if (nest.rowShape[d] == 1) {
    at.push_back(Index::constant(0));
    if (failed(emitRows(nest, scope, at)))
      return failure();
  } else {
    OpBuilder::InsertionGuard guard(builder);
    auto loop = builder.create<scf::ForOp>(
        scope.loc, scope.indexConstant(0),
        scope.indexConstant(nest.rowShape[d]), scope.indexConstant(1));
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    at.push_back({loop.getInductionVar(), 0, 0, nest.rowShape[d] - 1});
    if (failed(emitRows(nest, inner, at)))
      return failure();
  }
  at.pop_back();
  return summedFromHere([&](unsigned i) { return writeBack(i, scope, at); });
}

LogicalResult HostEmitter::run() {
  builder.setInsertionPointToStart(&target.getBody().front());
  createBuffers();
  for (auto [n, nest] : llvm::enumerate(plan.nests)) {
    const Item &first =
        plan.items[llvm::find(plan.nestOf, n) - plan.nestOf.begin()];
    if (first.kind == Item::Kind::Loops) {
      if (failed(emitLoops(first)))
        return failure();
      continue;
    }
    ElementScope scope = topScope(first.loc());
    IndexVector at;
    if (failed(emitRows(nest, scope, at)))
      return failure();
    for (const Group &group : nest.groups)
      for (unsigned i : group.items)
        for (Value result : plan.items[i].results())
          buffers[result] = places.lookup(result);
  }
  if (failed(emitCopies()))
    return failure();
  builder.create<func::ReturnOp>(target.getLoc());
  return success();
}

} // namespace partopt::codegen
