// Ops that write at places known when running: scatter and
// dynamic_update_slice. The operand is copied into the result first, unless the
// result is written over it.
#include "ScatterEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
using namespace stablehlo;

namespace {

/// Nothing is copied where the result is written over the operand.
LogicalResult copyInto(KernelEmitter &emitter, Value from,
                       const Buffer &buffer) {
  ElementScope scope = emitter.topScope(from.getLoc());
  if (emitter.isIn(from, buffer))
    return success();
  RankedTensorType type = tensorOf(from);
  return emitter.parallel(
      scope, type.getShape(),
      [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
        Value scalar = inner.element(from, at);
        if (!scalar)
          return failure();
        emitter.store(inner, buffer, type.getElementType(), at, scalar);
        return success();
      });
}

LogicalResult emitDynamicUpdateSlice(KernelEmitter &emitter, Operation *op,
                                     ArrayRef<Buffer> results) {
  auto update = cast<DynamicUpdateSliceOp>(op);
  if (failed(copyInto(emitter, update.getOperand(), results[0])))
    return failure();
  ElementScope scope = emitter.topScope(op->getLoc());
  RankedTensorType whole = tensorOf(update.getOperand());
  RankedTensorType part = tensorOf(update.getUpdate());
  IndexVector starts;
  for (auto [i, start] : llvm::enumerate(update.getStartIndices())) {
    Value scalar = scope.element(start, {});
    if (!scalar)
      return failure();
    starts.push_back(clampedStart(scope, scalar,
                                  tensorOf(start).getElementType(),
                                  whole.getDimSize(i) - part.getDimSize(i)));
  }
  return emitter.parallel(
      scope, part.getShape(),
      [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
        Value scalar = inner.element(update.getUpdate(), at);
        if (!scalar)
          return failure();
        IndexVector place;
        for (auto [start, index] : llvm::zip(starts, at))
          place.push_back(inner.sum(start, index));
        emitter.store(inner, results[0], whole.getElementType(), place, scalar);
        return success();
      });
}

} // namespace

LogicalResult ScatterEmitter::guarded(
    ElementScope &scope, Value condition,
    llvm::function_ref<LogicalResult(ElementScope &)> body) {
  if (!condition)
    return body(scope);
  OpBuilder &b = scope.builder;
  OpBuilder::InsertionGuard guard(b);
  auto branch = b.create<scf::IfOp>(scope.loc, condition, false);
  b.setInsertionPointToStart(branch.thenBlock());
  ElementScope inner(&scope);
  return body(inner);
}

LogicalResult ScatterEmitter::prepare() {
  for (auto [input, buffer] : llvm::zip(op.getInputs(), results))
    if (failed(copyInto(emitter, input, buffer)))
      return failure();
  shape = tensorOf(op.getInputs()[0]).getShape();
  RankedTensorType updates = tensorOf(op.getUpdates()[0]);
  for (int64_t i = 0, e = updates.getRank(); i < e; ++i)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), i)) {
      scatterDims.push_back(i);
      scatterShape.push_back(updates.getDimSize(i));
    }
  for (int64_t dim : numbers.getUpdateWindowDims())
    windowShape.push_back(updates.getDimSize(dim));
  return success();
}

LogicalResult ScatterEmitter::run() {
  if (failed(prepare()))
    return failure();
  ElementScope scope = emitter.topScope(op.getLoc());
  return emitter.loops(scope, scatterShape,
                       [&](ElementScope &inner, ArrayRef<Index> at) {
                         return update(inner, at);
                       });
}

/// Where an update starts, and what must hold for it not to be dropped as a
/// whole (null: nothing).
LogicalResult ScatterEmitter::findStarts(ElementScope &scope,
                                         ArrayRef<Index> scatterAt,
                                         IndexVector &starts,
                                         Value &condition) {
  Value indices = op.getScatterIndices();
  int64_t vectorDim = numbers.getIndexVectorDim();
  starts.assign(shape.size(), Index::constant(0));
  for (auto [component, dim] :
       llvm::enumerate(numbers.getScatterDimsToOperandDims())) {
    IndexVector at(scatterAt);
    if (vectorDim < tensorOf(indices).getRank())
      at.insert(at.begin() + vectorDim, Index::constant(component));
    Value scalar = scope.element(indices, at);
    if (!scalar)
      return failure();
    starts[dim] =
        signedStart(scope, scalar, tensorOf(indices).getElementType());
    if (hasWindow(dim))
      continue;
    require(scope, scope.inBounds(starts[dim], 0, shape[dim]), condition);
    starts[dim].low = 0;
    starts[dim].high = shape[dim] - 1;
  }
  for (auto [dim, indexDim] :
       llvm::zip(numbers.getInputBatchingDims(),
                 numbers.getScatterIndicesBatchingDims()))
    starts[dim] = scatterAt[indexDim < vectorDim ? indexDim : indexDim - 1];
  return success();
}

void ScatterEmitter::require(ElementScope &scope, Value term,
                             Value &condition) {
  condition = condition ? scope.builder.create<arith::AndIOp>(scope.loc,
                                                              condition, term)
                        : term;
}

/// All elements of one update: its start, then the loops over its window.
LogicalResult ScatterEmitter::update(ElementScope &scope,
                                     ArrayRef<Index> scatterAt) {
  IndexVector starts;
  Value condition;
  if (failed(findStarts(scope, scatterAt, starts, condition)))
    return failure();
  return guarded(scope, condition, [&](ElementScope &inner) {
    return emitter.loops(inner, windowShape,
                         [&](ElementScope &innermost, ArrayRef<Index> at) {
                           return window(innermost, scatterAt, starts, at);
                         });
  });
}

IndexVector ScatterEmitter::updatePlace(ArrayRef<Index> scatterAt,
                                        ArrayRef<Index> windowAt) {
  IndexVector updateAt(scatterDims.size() + windowAt.size());
  for (auto [dim, index] : llvm::zip(scatterDims, scatterAt))
    updateAt[dim] = index;
  for (auto [dim, index] : llvm::zip(numbers.getUpdateWindowDims(), windowAt))
    updateAt[dim] = index;
  return updateAt;
}

/// The place of an update's element, and what must hold for it to be inside.
IndexVector ScatterEmitter::placeOf(ElementScope &scope, ArrayRef<Index> starts,
                                    ArrayRef<Index> windowAt,
                                    Value &condition) {
  IndexVector place(starts);
  const Index *next = windowAt.begin();
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (!hasWindow(dim))
      continue;
    place[dim] = scope.sum(starts[dim], *next++);
    if (!place[dim].inside(0, shape[dim]))
      require(scope, scope.inBounds(place[dim], 0, shape[dim]), condition);
  }
  return place;
}

/// One element of an update; dropped where its own place is out of bounds.
LogicalResult ScatterEmitter::window(ElementScope &scope,
                                     ArrayRef<Index> scatterAt,
                                     ArrayRef<Index> starts,
                                     ArrayRef<Index> windowAt) {
  Value condition;
  IndexVector place = placeOf(scope, starts, windowAt, condition);
  return guarded(scope, condition, [&](ElementScope &inner) {
    return combine(inner, updatePlace(scatterAt, windowAt), place);
  });
}

LogicalResult ScatterEmitter::combine(ElementScope &scope,
                                      ArrayRef<Index> updateAt,
                                      ArrayRef<Index> place) {
  SmallVector<Value> arguments, combined;
  for (auto [input, buffer] : llvm::zip(op.getInputs(), results))
    arguments.push_back(
        scope.load(buffer, tensorOf(input).getElementType(), place));
  for (Value updates : op.getUpdates()) {
    arguments.push_back(scope.element(updates, updateAt));
    if (!arguments.back())
      return failure();
  }
  if (failed(evaluateRegion(scope, op.getUpdateComputation(), arguments,
                            combined)))
    return failure();
  for (auto [input, buffer, value] :
       llvm::zip(op.getInputs(), results, combined))
    emitter.store(scope, buffer, tensorOf(input).getElementType(), place,
                  value);
  return success();
}

static LogicalResult emitScatter(KernelEmitter &emitter, Operation *op,
                                 ArrayRef<Buffer> results) {
  return ScatterEmitter(emitter, cast<ScatterOp>(op), results).run();
}

void addScatterRules(RuleTable &t) {
  OpRule scatter;
  scatter.emit = emitScatter;
  scatter.gpuEmit = emitScatterOnGpu;
  t.add<ScatterOp>(scatter);
  OpRule update;
  update.emit = emitDynamicUpdateSlice;
  t.add<DynamicUpdateSliceOp>(update);
}

} // namespace partopt::codegen
