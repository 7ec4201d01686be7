// Ops that write at places known when running: scatter and
// dynamic_update_slice. The operand is copied into the result first, unless the
// result is written over it.
#include "EmitKernel.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Nothing is copied where the result is written over the operand.
LogicalResult copyInto(KernelEmitter &emitter, Value from,
                       const Buffer &buffer) {
  ElementScope scope = emitter.topScope(from.getLoc());
  if (emitter.isIn(from, buffer))
    return success();
  RankedTensorType type = tensorOf(from);
  return emitter.loops(
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
  return emitter.loops(
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

/// One scatter: its dimension numbers resolved to positions.
class ScatterEmitter {
public:
  ScatterEmitter(KernelEmitter &emitter, ScatterOp op, ArrayRef<Buffer> results)
      : emitter(emitter), op(op), numbers(op.getScatterDimensionNumbers()),
        results(results) {}

  LogicalResult run();

private:
  LogicalResult update(ElementScope &scope, ArrayRef<Index> scatterAt);
  LogicalResult window(ElementScope &scope, ArrayRef<Index> scatterAt,
                       ArrayRef<Index> starts, ArrayRef<Index> windowAt);
  LogicalResult combine(ElementScope &scope, ArrayRef<Index> updateAt,
                        ArrayRef<Index> place);
  /// Builds `body` under `condition`; without one where that is null.
  LogicalResult guarded(ElementScope &scope, Value condition,
                        llvm::function_ref<LogicalResult(ElementScope &)> body);
  bool hasWindow(int64_t operandDim) const {
    return !llvm::is_contained(numbers.getInsertedWindowDims(), operandDim) &&
           !llvm::is_contained(numbers.getInputBatchingDims(), operandDim);
  }

  KernelEmitter &emitter;
  ScatterOp op;
  ScatterDimensionNumbersAttr numbers;
  ArrayRef<Buffer> results;
  ArrayRef<int64_t> shape;          ///< of an operand
  SmallVector<int64_t> scatterDims; ///< of an update
};

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

LogicalResult ScatterEmitter::run() {
  for (auto [input, buffer] : llvm::zip(op.getInputs(), results))
    if (failed(copyInto(emitter, input, buffer)))
      return failure();
  shape = tensorOf(op.getInputs()[0]).getShape();
  RankedTensorType updates = tensorOf(op.getUpdates()[0]);
  SmallVector<int64_t> scatterShape;
  for (int64_t i = 0, e = updates.getRank(); i < e; ++i)
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), i)) {
      scatterDims.push_back(i);
      scatterShape.push_back(updates.getDimSize(i));
    }
  ElementScope scope = emitter.topScope(op.getLoc());
  return emitter.loops(scope, scatterShape,
                       [&](ElementScope &inner, ArrayRef<Index> at) {
                         return update(inner, at);
                       });
}

/// All elements of one update: its start, then the loops over its window.
LogicalResult ScatterEmitter::update(ElementScope &scope,
                                     ArrayRef<Index> scatterAt) {
  Value indices = op.getScatterIndices();
  int64_t vectorDim = numbers.getIndexVectorDim();
  IndexVector starts(shape.size(), Index::constant(0));
  Value condition;
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
    Value inside = scope.inBounds(starts[dim], 0, shape[dim]);
    condition =
        condition
            ? scope.builder.create<arith::AndIOp>(scope.loc, condition, inside)
            : inside;
    starts[dim].low = 0;
    starts[dim].high = shape[dim] - 1;
  }
  for (auto [dim, indexDim] :
       llvm::zip(numbers.getInputBatchingDims(),
                 numbers.getScatterIndicesBatchingDims()))
    starts[dim] = scatterAt[indexDim < vectorDim ? indexDim : indexDim - 1];
  SmallVector<int64_t> windowShape;
  for (int64_t dim : numbers.getUpdateWindowDims())
    windowShape.push_back(tensorOf(op.getUpdates()[0]).getDimSize(dim));
  return guarded(scope, condition, [&](ElementScope &inner) {
    return emitter.loops(inner, windowShape,
                         [&](ElementScope &innermost, ArrayRef<Index> at) {
                           return window(innermost, scatterAt, starts, at);
                         });
  });
}

/// One element of an update; dropped where its own place is out of bounds.
LogicalResult ScatterEmitter::window(ElementScope &scope,
                                     ArrayRef<Index> scatterAt,
                                     ArrayRef<Index> starts,
                                     ArrayRef<Index> windowAt) {
  IndexVector updateAt(scatterDims.size() + windowAt.size());
  for (auto [dim, index] : llvm::zip(scatterDims, scatterAt))
    updateAt[dim] = index;
  for (auto [dim, index] : llvm::zip(numbers.getUpdateWindowDims(), windowAt))
    updateAt[dim] = index;
  IndexVector place(starts);
  Value condition;
  const Index *next = windowAt.begin();
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (!hasWindow(dim))
      continue;
    place[dim] = scope.sum(starts[dim], *next++);
    if (place[dim].inside(0, shape[dim]))
      continue;
    Value inside = scope.inBounds(place[dim], 0, shape[dim]);
    condition =
        condition
            ? scope.builder.create<arith::AndIOp>(scope.loc, condition, inside)
            : inside;
  }
  return guarded(scope, condition, [&](ElementScope &inner) {
    return combine(inner, updateAt, place);
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

LogicalResult emitScatter(KernelEmitter &emitter, Operation *op,
                          ArrayRef<Buffer> results) {
  return ScatterEmitter(emitter, cast<ScatterOp>(op), results).run();
}

} // namespace

void addScatterRules(RuleTable &t) {
  OpRule scatter;
  scatter.emit = emitScatter;
  t.add<ScatterOp>(scatter);
  OpRule update;
  update.emit = emitDynamicUpdateSlice;
  t.add<DynamicUpdateSliceOp>(update);
}

} // namespace partopt::codegen
