// select_and_scatter: for every element of the source, the window's element
// that `select` prefers gets it added (by `scatter`). Padding is never
// selected.
//
// Where the innermost dimension has windows of one element, a row of it is
// searched at once: the best so far and its place are rows on the stack, so
// that the search runs in vectors.
#include "EmitGpu.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Longer rows are searched element by element.
constexpr int64_t kMaxRow = 4096;

class SelectAndScatterEmitter {
public:
  SelectAndScatterEmitter(KernelEmitter &emitter, SelectAndScatterOp op,
                          const Buffer &result)
      : emitter(emitter), b(emitter.getBuilder()), op(op), result(result),
        element(tensorOf(op.getResult()).getElementType()) {}

  LogicalResult run();
  LogicalResult runOnGpu(GpuEmitter &gpu);

private:
  using RowBody = llvm::function_ref<LogicalResult(ElementScope &, Index)>;

  void readWindow();
  LogicalResult fill();
  LogicalResult overRow(ElementScope &scope, RowBody body);
  LogicalResult searchWindow(ElementScope &scope, ArrayRef<Index> sourceAt);
  LogicalResult searchElement(ElementScope &scope, ArrayRef<Index> sourceAt,
                              ArrayRef<Index> windowAt);
  LogicalResult compare(ElementScope &scope, ArrayRef<Index> at, Index lane);
  LogicalResult scatter(ElementScope &scope, ArrayRef<Index> sourceAt);
  LogicalResult gather(ElementScope &scope, ArrayRef<Index> at,
                       ArrayRef<Index> back);
  Index linear(ElementScope &scope, ArrayRef<Index> at,
               ArrayRef<int64_t> shape);
  Value number(ElementScope &scope, int64_t value) {
    return b.create<arith::ConstantOp>(scope.loc, b.getI64IntegerAttr(value));
  }
  Value isFound(ElementScope &scope, Value place) {
    return b.create<arith::CmpIOp>(scope.loc, arith::CmpIPredicate::sge, place,
                                   number(scope, 0));
  }

  KernelEmitter &emitter;
  OpBuilder &b;
  SelectAndScatterOp op;
  Buffer result;
  Type element;
  SmallVector<int64_t> window, strides, low;
  int64_t rowSize = 1; ///< lanes searched at once, of the innermost dimension
  Buffer best, places; ///< of a row: values, and positions in the result or -1
};

void SelectAndScatterEmitter::readWindow() {
  int64_t rank = tensorOf(op.getOperand()).getRank();
  auto list = [&](std::optional<ArrayRef<int64_t>> values) {
    return values && !values->empty() ? llvm::to_vector(*values)
                                      : SmallVector<int64_t>(rank, 1);
  };
  window = list(op.getWindowDimensions());
  strides = list(op.getWindowStrides());
  low.assign(rank, 0);
  bool isPadded = false;
  if (auto padding = op.getPadding()) {
    auto values = padding->getValues<int64_t>();
    for (int64_t dim = 0; dim < rank; ++dim)
      low[dim] = values[2 * dim];
    isPadded = rank > 0 && (values[2 * rank - 2] || values[2 * rank - 1]);
  }
  if (rank > 0 && window.back() == 1 && strides.back() == 1 && !isPadded) {
    int64_t size = tensorOf(op.getSource()).getShape().back();
    rowSize = size <= kMaxRow ? size : 1;
  }
}

LogicalResult SelectAndScatterEmitter::fill() {
  ElementScope scope = emitter.topScope(op.getLoc());
  Value init = scope.element(op.getInitValue(), {});
  if (!init)
    return failure();
  return emitter.loops(scope, tensorOf(op.getResult()).getShape(),
                       [&](ElementScope &inner, ArrayRef<Index> at) {
                         emitter.store(inner, result, element, at, init);
                         return success();
                       });
}

/// Runs `body` for all lanes of a row.
LogicalResult SelectAndScatterEmitter::overRow(ElementScope &scope,
                                               RowBody body) {
  return emitter.loops(scope, {rowSize},
                       [&](ElementScope &inner, ArrayRef<Index> at) {
                         return body(inner, at[0]);
                       });
}

LogicalResult SelectAndScatterEmitter::run() {
  readWindow();
  if (failed(fill()))
    return failure();
  best = emitter.rowBuffer(rowSize, element);
  places = emitter.rowBuffer(rowSize, b.getI64Type());
  SmallVector<int64_t> shape(tensorOf(op.getSource()).getShape());
  if (rowSize > 1)
    shape.back() = 1;
  ElementScope scope = emitter.topScope(op.getLoc());
  return emitter.loops(
      scope, shape,
      [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
        IndexVector sourceAt(at);
        if (failed(searchWindow(inner, sourceAt)))
          return failure();
        return scatter(inner, sourceAt);
      });
}

/// Leaves the selected value and its place in the rows.
LogicalResult SelectAndScatterEmitter::searchWindow(ElementScope &scope,
                                                    ArrayRef<Index> sourceAt) {
  auto forget = [&](ElementScope &inner, Index lane) {
    emitter.store(inner, places, b.getI64Type(), {lane}, number(inner, -1));
    return success();
  };
  if (failed(overRow(scope, forget)))
    return failure();
  return emitter.loops(scope, window,
                       [&](ElementScope &inner, ArrayRef<Index> at) {
                         IndexVector windowAt(at);
                         return searchElement(inner, sourceAt, windowAt);
                       });
}

LogicalResult SelectAndScatterEmitter::searchElement(ElementScope &scope,
                                                     ArrayRef<Index> sourceAt,
                                                     ArrayRef<Index> windowAt) {
  ArrayRef<int64_t> shape = tensorOf(op.getOperand()).getShape();
  IndexVector at;
  Value condition;
  for (auto [d, size] : llvm::enumerate(shape)) {
    Index index = scope.sum(scope.scaled(sourceAt[d], strides[d]), windowAt[d])
                      .plus(-low[d]);
    if (index.outside(0, size))
      return success();
    if (!index.inside(0, size)) {
      Value term = scope.inBounds(index, 0, size);
      condition = condition
                      ? b.create<arith::AndIOp>(scope.loc, condition, term)
                      : term;
      index.low = std::max<int64_t>(index.low, 0);
      index.high = std::min<int64_t>(index.high, size - 1);
    }
    at.push_back(index);
  }
  OpBuilder::InsertionGuard guard(b);
  if (condition) {
    auto branch = b.create<scf::IfOp>(scope.loc, condition, false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  ElementScope inside(&scope);
  return overRow(inside, [&](ElementScope &inner, Index lane) {
    IndexVector own(at);
    if (rowSize > 1)
      own.back() = lane;
    return compare(inner, own, lane);
  });
}

Index SelectAndScatterEmitter::linear(ElementScope &scope, ArrayRef<Index> at,
                                      ArrayRef<int64_t> shape) {
  Index position = Index::constant(0);
  for (auto [index, size] : llvm::zip(at, shape))
    position = scope.sum(scope.scaled(position, size), index);
  return position;
}

/// Takes the operand's element at `at` unless what was found before it is
/// selected against it.
LogicalResult SelectAndScatterEmitter::compare(ElementScope &scope,
                                               ArrayRef<Index> at, Index lane) {
  Location loc = scope.loc;
  Value candidate = scope.element(op.getOperand(), at);
  if (!candidate)
    return failure();
  Value old = scope.load(best, element, {lane});
  Value oldPlace = scope.load(places, b.getI64Type(), {lane});
  SmallVector<Value> keeps;
  if (failed(evaluateRegion(scope, op.getSelect(), {old, candidate}, keeps)))
    return failure();
  Index position = linear(scope, at, tensorOf(op.getOperand()).getShape());
  Value place = b.create<arith::IndexCastOp>(loc, b.getI64Type(),
                                             scope.materialize(position));
  Value keep =
      b.create<arith::AndIOp>(loc, isFound(scope, oldPlace), keeps.front());
  emitter.store(scope, best, element, {lane},
                b.create<arith::SelectOp>(loc, keep, old, candidate));
  emitter.store(scope, places, b.getI64Type(), {lane},
                b.create<arith::SelectOp>(loc, keep, oldPlace, place));
  return success();
}

/// Combines the source's elements with those of the result that were selected.
LogicalResult SelectAndScatterEmitter::scatter(ElementScope &scope,
                                               ArrayRef<Index> sourceAt) {
  int64_t size = cast<MemRefType>(result.memref.getType()).getNumElements();
  Buffer flat{flatBuffer(b, scope.loc, result.memref), 0};
  return overRow(scope, [&](ElementScope &inner, Index lane) -> LogicalResult {
    Value place = inner.load(places, b.getI64Type(), {lane});
    auto branch = b.create<scf::IfOp>(inner.loc, isFound(inner, place), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    ElementScope found(&inner);
    IndexVector from(sourceAt);
    if (rowSize > 1)
      from.back() = lane;
    Value added = found.element(op.getSource(), from);
    if (!added)
      return failure();
    Value position =
        b.create<arith::IndexCastOp>(found.loc, b.getIndexType(), place);
    Index at = found.opaque(position, 0, size - 1);
    SmallVector<Value> sum;
    if (failed(evaluateRegion(found, op.getScatter(),
                              {found.load(flat, element, {at}), added}, sum)))
      return failure();
    emitter.store(found, flat, element, {at}, sum.front());
    return success();
  });
}

/// Adds to the result's element at `at` the source's element whose window ends
/// `back` places before the last one that has it, if that window selected it.
LogicalResult SelectAndScatterEmitter::gather(ElementScope &scope,
                                              ArrayRef<Index> at,
                                              ArrayRef<Index> back) {
  Location loc = scope.loc;
  ArrayRef<int64_t> shape = tensorOf(op.getSource()).getShape();
  IndexVector sourceAt;
  Value condition = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
  for (auto [d, size] : llvm::enumerate(shape)) {
    Value last =
        b.create<arith::DivSIOp>(loc, scope.materialize(at[d].plus(low[d])),
                                 scope.indexConstant(strides[d]));
    Value own = b.create<arith::SubIOp>(loc, last, scope.materialize(back[d]));
    Value zero = scope.indexConstant(0), end = scope.indexConstant(size - 1);
    Value inside = b.create<arith::MaxSIOp>(
        loc, zero, b.create<arith::MinSIOp>(loc, own, end));
    Value isInside =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, inside, own);
    condition = b.create<arith::AndIOp>(loc, condition, isInside);
    sourceAt.push_back({inside, 0, 0, size - 1});
  }
  Buffer chosen = places;
  chosen.slot = scope.materialize(linear(scope, sourceAt, shape));
  Value place = scope.load(chosen, b.getI64Type(), {Index::constant(0)});
  Index self = linear(scope, at, tensorOf(op.getResult()).getShape());
  Value number = b.create<arith::IndexCastOp>(loc, b.getI64Type(),
                                              scope.materialize(self));
  condition = b.create<arith::AndIOp>(
      loc, condition,
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, place, number));
  auto branch = b.create<scf::IfOp>(loc, condition, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  ElementScope found(&scope);
  Value added = found.element(op.getSource(), sourceAt);
  SmallVector<Value> sum;
  if (!added ||
      failed(evaluateRegion(found, op.getScatter(),
                            {found.load(result, element, at), added}, sum)))
    return failure();
  emitter.store(found, result, element, at, sum.front());
  return success();
}

/// A thread for every window searches it; then a thread for every element of
/// the result adds, in their order, the windows that selected it.
LogicalResult SelectAndScatterEmitter::runOnGpu(GpuEmitter &gpu) {
  readWindow();
  rowSize = 1;
  ArrayRef<int64_t> shape = tensorOf(op.getSource()).getShape();
  int64_t count = productOf(shape);
  best = gpu.scratch({count, 1}, element);
  places = gpu.scratch({count, 1}, b.getI64Type());
  ElementScope scope = emitter.topScope(op.getLoc());
  auto search = [&](ElementScope &inner, ArrayRef<Index> at) {
    best.slot = places.slot = inner.materialize(linear(inner, at, shape));
    return searchWindow(inner, at);
  };
  if (failed(emitter.parallel(scope, shape, search)))
    return failure();
  best.slot = places.slot = Value();
  SmallVector<int64_t> windows;
  for (auto [size, stride] : llvm::zip(window, strides))
    windows.push_back(llvm::divideCeil(size, stride));
  auto collect = [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
    Value start = inner.element(op.getInitValue(), {});
    if (!start)
      return failure();
    emitter.store(inner, result, element, at, start);
    if (count == 0)
      return success();
    IndexVector own(at);
    return emitter.loops(
        inner, windows, [&](ElementScope &each, ArrayRef<Index> steps) {
          IndexVector back;
          for (auto [step, number] : llvm::zip(steps, windows))
            back.push_back(each.scaled(step, -1).plus(number - 1));
          return gather(each, own, back);
        });
  };
  return emitter.parallel(scope, tensorOf(op.getResult()).getShape(), collect);
}

LogicalResult emitSelectAndScatterOnGpu(KernelEmitter &emitter, Operation *op,
                                        ArrayRef<Buffer> results) {
  return SelectAndScatterEmitter(emitter, cast<SelectAndScatterOp>(op),
                                 results[0])
      .runOnGpu(static_cast<GpuEmitter &>(emitter));
}

LogicalResult emitSelectAndScatter(KernelEmitter &emitter, Operation *op,
                                   ArrayRef<Buffer> results) {
  return SelectAndScatterEmitter(emitter, cast<SelectAndScatterOp>(op),
                                 results[0])
      .run();
}

} // namespace

void addSelectAndScatterRules(RuleTable &t) {
  OpRule rule;
  rule.emit = emitSelectAndScatter;
  rule.gpuEmit = emitSelectAndScatterOnGpu;
  rule.readsMemory = true;
  t.add<SelectAndScatterOp>(rule);
}

} // namespace partopt::codegen
