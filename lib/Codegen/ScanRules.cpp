// Cumulative sums and their like: a reduce_window whose windows are all
// elements up to their own, or from their own on, is one linear scan.
#include "EmitGpu.h"
#include "WindowElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Elements of the innermost dimension that one scan carries along in memory.
constexpr int64_t kScanBlock = 512;

class ScanEmitter {
public:
  /// `gpu`: the emitter where the kernel is for one, else null.
  ScanEmitter(KernelEmitter &emitter, GpuEmitter *gpu, ReduceWindowOp op,
              ArrayRef<Buffer> results)
      : emitter(emitter), gpu(gpu), b(emitter.getBuilder()), op(op),
        results(results), scan(*scanOf(op)),
        shape(tensorOf(op.getInputs()[0]).getShape()) {}

  LogicalResult run();

private:
  using Values = SmallVector<Value, 4>;

  LogicalResult lines(ElementScope &scope);
  LogicalResult line(ElementScope &scope, ArrayRef<Index> at);
  LogicalResult chunks(ElementScope &scope);
  LogicalResult carryOver(ElementScope &scope, ArrayRef<Buffer> totals,
                          ArrayRef<Index> at, int64_t count);
  LogicalResult walk(ElementScope &scope, ArrayRef<Index> at, Value low,
                     Value high, bool stores, Values &accumulators);
  LogicalResult block(ElementScope &scope, ArrayRef<Index> at, Value begin);
  LogicalResult direct(ElementScope &scope);
  LogicalResult directElement(ElementScope &scope, ArrayRef<Index> at);
  FailureOr<Value> initIsNeutral(ElementScope &scope);
  Type elementType(unsigned i) {
    return tensorOf(op.getInputs()[i]).getElementType();
  }
  /// One step: stores and returns body(accumulators, elements at `at`).
  LogicalResult step(ElementScope &scope, ArrayRef<Index> at,
                     ValueRange accumulators, SmallVectorImpl<Value> &next,
                     bool stores = true);
  /// The scanned coordinate of step `i`.
  Index position(ElementScope &scope, Value i) {
    Index index{i, 0, 0, shape[scan.dim] - 1};
    return scan.isReverse ? scope.scaled(index, -1).plus(shape[scan.dim] - 1)
                          : index;
  }

  KernelEmitter &emitter;
  GpuEmitter *gpu;
  OpBuilder &b;
  ReduceWindowOp op;
  ArrayRef<Buffer> results;
  Scan scan;
  ArrayRef<int64_t> shape;
};

LogicalResult ScanEmitter::step(ElementScope &scope, ArrayRef<Index> at,
                                ValueRange accumulators,
                                SmallVectorImpl<Value> &next, bool stores) {
  SmallVector<Value> arguments(accumulators);
  for (Value input : op.getInputs()) {
    arguments.push_back(scope.element(input, at));
    if (!arguments.back())
      return failure();
  }
  if (failed(evaluateRegion(scope, op.getBody(), arguments, next)))
    return failure();
  for (auto [i, value] : llvm::enumerate(next))
    if (stores)
      emitter.store(scope, results[i], elementType(i), at, value);
  return success();
}

/// Steps [low, high) of the line at `at`.
LogicalResult ScanEmitter::walk(ElementScope &scope, ArrayRef<Index> at,
                                Value low, Value high, bool stores,
                                Values &accumulators) {
  Location loc = scope.loc;
  auto loop = b.create<scf::ForOp>(loc, low, high, scope.indexConstant(1),
                                   accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  IndexVector place(at);
  place[scan.dim] = position(inner, loop.getInductionVar());
  SmallVector<Value> next;
  if (failed(step(inner, place, loop.getRegionIterArgs(), next, stores)))
    return failure();
  b.create<scf::YieldOp>(loc, next);
  accumulators.assign(loop.result_begin(), loop.result_end());
  return success();
}

/// Totals of chunks become what comes before each chunk.
LogicalResult ScanEmitter::carryOver(ElementScope &scope,
                                     ArrayRef<Buffer> totals,
                                     ArrayRef<Index> at, int64_t count) {
  SmallVector<Value> init, combined;
  if (failed(initialValues(scope, op, init)))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                                   scope.indexConstant(count),
                                   scope.indexConstant(1), init);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  IndexVector place(at);
  place[scan.dim] = {loop.getInductionVar(), 0, 0, count - 1};
  SmallVector<Value> arguments(loop.getRegionIterArgs());
  for (auto [buffer, value] : llvm::zip(totals, init)) {
    arguments.push_back(inner.load(buffer, value.getType(), place));
  }
  for (auto [buffer, before] : llvm::zip(totals, loop.getRegionIterArgs()))
    emitter.store(inner, buffer, before.getType(), place, before);
  if (failed(evaluateRegion(inner, op.getBody(), arguments, combined)))
    return failure();
  b.create<scf::YieldOp>(scope.loc, combined);
  return success();
}

/// On a GPU long lines are cut into chunks: their totals, what comes before
/// each, and each chunk from there on. Short lines have a thread each.
LogicalResult ScanEmitter::chunks(ElementScope &scope) {
  constexpr int64_t shortLine = 128;
  int64_t length = shape[scan.dim], count = 1, size = length;
  SmallVector<int64_t> outer(shape), cut(shape);
  outer[scan.dim] = 1;
  if (length > shortLine && productOf(outer) < kBusyThreads) {
    size = int64_t(1) << (llvm::Log2_64_Ceil(length) / 2);
    count = llvm::divideCeil(length, size);
  }
  cut[scan.dim] = count;
  SmallVector<Buffer> totals;
  for (Value input : op.getInputs())
    if (count > 1)
      totals.push_back(
          gpu->scratch(cut, computeType(tensorOf(input).getElementType())));
  auto chunk = [&](ElementScope &inner, ArrayRef<Index> at, bool isLast) {
    IndexMath m{inner};
    Value low = m.mul(inner.materialize(at[scan.dim]), size);
    Value high = m.min(m.add(low, m.constant(size)), m.constant(length));
    SmallVector<Value> init;
    if (failed(initialValues(inner, op, init)))
      return failure();
    Values accumulators(init.begin(), init.end());
    for (auto [buffer, value] : llvm::zip(totals, accumulators))
      if (isLast)
        value = inner.load(buffer, value.getType(), at);
    if (failed(walk(inner, at, low, high, isLast, accumulators)))
      return failure();
    for (auto [buffer, value] : llvm::zip(totals, accumulators))
      if (!isLast)
        emitter.store(inner, buffer, value.getType(), at, value);
    return success();
  };
  auto first = [&](ElementScope &inner, ArrayRef<Index> at) {
    return chunk(inner, at, false);
  };
  auto middle = [&](ElementScope &inner, ArrayRef<Index> at) {
    return carryOver(inner, totals, at, count);
  };
  auto last = [&](ElementScope &inner, ArrayRef<Index> at) {
    return chunk(inner, at, true);
  };
  if (count > 1 && (failed(emitter.parallel(scope, cut, first)) ||
                    failed(emitter.parallel(scope, outer, middle))))
    return failure();
  return emitter.parallel(scope, cut, last);
}

/// The scan along the innermost dimension: the accumulators are in registers.
LogicalResult ScanEmitter::line(ElementScope &scope, ArrayRef<Index> at) {
  SmallVector<Value> init, next;
  if (failed(initialValues(scope, op, init)))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                                   scope.indexConstant(shape[scan.dim]),
                                   scope.indexConstant(1), init);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  IndexVector place(at);
  place[scan.dim] = position(inner, loop.getInductionVar());
  if (failed(step(inner, place, loop.getRegionIterArgs(), next)))
    return failure();
  b.create<scf::YieldOp>(scope.loc, next);
  return success();
}

/// The scan of neighbouring lines, whose accumulators are a row in memory;
/// `begin` is the first innermost coordinate.
LogicalResult ScanEmitter::block(ElementScope &scope, ArrayRef<Index> at,
                                 Value begin) {
  int64_t width = shape.back(), rank = shape.size();
  int64_t length = std::min(width, kScanBlock);
  SmallVector<Value> init;
  if (failed(initialValues(scope, op, init)))
    return failure();
  Value end = scope.indexConstant(length);
  if (width > length)
    end = b.create<arith::MinSIOp>(
        scope.loc, end,
        b.create<arith::SubIOp>(scope.loc, scope.indexConstant(width), begin));
  SmallVector<Buffer> rows;
  for (Value value : init)
    rows.push_back(emitter.rowBuffer(length, value.getType()));
  auto overRow = [&](ElementScope &outer, auto body) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(outer.loc, outer.indexConstant(0), end,
                                     outer.indexConstant(1));
    b.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&outer);
    return body(inner, Index{loop.getInductionVar(), 0, 0, length - 1});
  };
  auto fill = [&](ElementScope &inner, const Index &j) -> LogicalResult {
    for (auto [row, value] : llvm::zip(rows, init))
      emitter.store(inner, row, value.getType(), {j}, value);
    return success();
  };
  if (failed(overRow(scope, fill)))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                                   scope.indexConstant(shape[scan.dim]),
                                   scope.indexConstant(1));
  b.setInsertionPointToStart(loop.getBody());
  ElementScope scanned(&scope);
  IndexVector place(at);
  place[scan.dim] = position(scanned, loop.getInductionVar());
  return overRow(scanned, [&](ElementScope &inner, const Index &j) {
    SmallVector<Value> accumulators, next;
    for (auto [row, value] : llvm::zip(rows, init))
      accumulators.push_back(inner.load(row, value.getType(), {j}));
    Value column = b.create<arith::AddIOp>(inner.loc, begin, j.var);
    place[rank - 1] = inner.opaque(column, 0, width - 1);
    if (failed(step(inner, place, accumulators, next)))
      return failure();
    for (auto [row, value] : llvm::zip(rows, next))
      emitter.store(inner, row, value.getType(), {j}, value);
    return success();
  });
}

LogicalResult ScanEmitter::lines(ElementScope &scope) {
  // All dimensions but the scanned one, and but the innermost where lines are
  // taken in blocks.
  int64_t rank = shape.size();
  bool isBlocked = scan.dim != rank - 1 && shape.back() > 1;
  SmallVector<int64_t> outer(shape);
  outer[scan.dim] = 1;
  if (isBlocked)
    outer.back() = 1;
  return emitter.loops(
      scope, outer,
      [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
        if (!isBlocked)
          return line(inner, at);
        OpBuilder::InsertionGuard guard(b);
        auto loop = b.create<scf::ForOp>(inner.loc, inner.indexConstant(0),
                                         inner.indexConstant(shape.back()),
                                         inner.indexConstant(kScanBlock));
        b.setInsertionPointToStart(loop.getBody());
        ElementScope blocks(&inner);
        return block(blocks, at, loop.getInductionVar());
      });
}

/// One window after the other, padding included, as the definition has it.
LogicalResult ScanEmitter::direct(ElementScope &scope) {
  return emitter.parallel(scope, shape,
                          [&](ElementScope &inner, ArrayRef<Index> at) {
                            return directElement(inner, at);
                          });
}

LogicalResult ScanEmitter::directElement(ElementScope &scope,
                                         ArrayRef<Index> at) {
  SmallVector<Value> init, terms, next;
  if (failed(initialValues(scope, op, init)))
    return failure();
  int64_t size = shape[scan.dim];
  scf::ForOp loop;
  {
    OpBuilder::InsertionGuard guard(b);
    loop = b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                                scope.indexConstant(size),
                                scope.indexConstant(1), init);
    b.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    IndexVector padded(at);
    Index index{loop.getInductionVar(), 0, 0, size - 1};
    padded[scan.dim] =
        inner.sum(at[scan.dim], index.plus(scan.isReverse ? 0 : 1 - size));
    SmallVector<int64_t> steps(shape.size(), 1);
    if (failed(paddedElements(
            inner, op, placeInDilated(inner, padded, shape, steps), terms)))
      return failure();
    SmallVector<Value> arguments(loop.getRegionIterArgs());
    arguments.append(terms.begin(), terms.end());
    if (failed(evaluateRegion(inner, op.getBody(), arguments, next)))
      return failure();
    b.create<scf::YieldOp>(scope.loc, next);
  }
  for (auto [i, value] : llvm::enumerate(loop.getResults()))
    emitter.store(scope, results[i], elementType(i), at, value);
  return success();
}

static Value equalScalars(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x, y);
  if (!isa<ComplexType>(x.getType()))
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
  auto [xRe, xIm] = splitParts(b, loc, x);
  auto [yRe, yIm] = splitParts(b, loc, y);
  return b.create<arith::AndIOp>(loc, equalScalars(b, loc, xRe, yRe),
                                 equalScalars(b, loc, xIm, yIm));
}

/// body(init, init) == init: padding then leaves no trace. Usually a constant,
/// which LLVM sees.
FailureOr<Value> ScanEmitter::initIsNeutral(ElementScope &scope) {
  SmallVector<Value> init, combined;
  if (failed(initialValues(scope, op, init)))
    return failure();
  SmallVector<Value> arguments(init);
  arguments.append(init.begin(), init.end());
  if (failed(evaluateRegion(scope, op.getBody(), arguments, combined)))
    return failure();
  Value all;
  for (auto [a, c] : llvm::zip(init, combined)) {
    Value same = equalScalars(b, scope.loc, a, c);
    all = all ? b.create<arith::AndIOp>(scope.loc, all, same) : same;
  }
  return all;
}

LogicalResult ScanEmitter::run() {
  ElementScope scope = emitter.topScope(op.getLoc());
  FailureOr<Value> isNeutral = initIsNeutral(scope);
  if (failed(isNeutral))
    return failure();
  auto branch = b.create<scf::IfOp>(scope.loc, *isNeutral, true);
  OpBuilder::InsertionGuard guard(b);
  ElementScope linear(&scope), windows(&scope);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(gpu ? chunks(linear) : lines(linear)))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  return direct(windows);
}

LogicalResult emitScan(KernelEmitter &emitter, Operation *op,
                       ArrayRef<Buffer> results) {
  return ScanEmitter(emitter, nullptr, cast<ReduceWindowOp>(op), results).run();
}

LogicalResult emitScanOnGpu(KernelEmitter &emitter, Operation *op,
                            ArrayRef<Buffer> results) {
  return ScanEmitter(emitter, &static_cast<GpuEmitter &>(emitter),
                     cast<ReduceWindowOp>(op), results)
      .run();
}

} // namespace

const OpRule *scanRule(Operation *op) {
  static const OpRule rule = [] {
    OpRule scan;
    scan.emit = emitScan;
    scan.gpuEmit = emitScanOnGpu;
    return scan;
  }();
  return scanOf(cast<ReduceWindowOp>(op)) ? &rule : nullptr;
}

} // namespace partopt::codegen
