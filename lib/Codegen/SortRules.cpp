// sort merges runs of 1, 2, 4, ... elements to and fro
// between the result and scratch memory of one line: stable, n log n compares,
// no branch that depends on the data.
#include "BufferLine.h"
#include "GpuSort.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

int64_t sortedDim(SortOp op) {
  int64_t dim = op.getDimension();
  return dim < 0 ? dim + tensorOf(op.getInputs()[0]).getRank() : dim;
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

/// The innermost dimension with two places beside the sorted one, or -1.
int64_t secondDim(SortOp op) {
  ArrayRef<int64_t> shape = tensorOf(op.getInputs()[0]).getShape();
  for (int64_t d = shape.size(); d-- > 0;)
    if (d != sortedDim(op) && shape[d] > 1)
      return d;
  return -1;
}

/// True when a line's elements are not neighbours in memory.
bool isStrided(SortOp op) { return secondDim(op) > sortedDim(op); }

/// Pairs of runs that are merged side by side.
constexpr int64_t kAbreast = 4;

class SortEmitter {
public:
  SortEmitter(KernelEmitter &emitter, SortOp op, ArrayRef<Buffer> results)
      : emitter(emitter), b(emitter.getBuilder()), op(op), results(results),
        dim(sortedDim(op)), shape(tensorOf(op.getInputs()[0]).getShape()),
        length(shape[dim]) {}

  LogicalResult run();

private:
  /// Two neighbouring sorted runs, [low, middle) and [middle, high).
  struct Runs {
    Value low, middle, high;
  };

  FailureOr<SmallVector<Lines>> scratch();
  LogicalResult sortLine(ElementScope &scope, ArrayRef<Index> at,
                         ArrayRef<Lines> scratch);
  LogicalResult sortInto(ElementScope &scope, ArrayRef<Index> at,
                         const Lines &sorted, const Lines &other);
  void copy(ElementScope &scope, const Lines &from, const Lines &to);
  LogicalResult fill(ElementScope &scope, ArrayRef<Index> at,
                     const Lines &lines);
  LogicalResult pass(ElementScope &scope, const Lines &from, const Lines &to,
                     Value width);
  FailureOr<std::pair<Value, Value>> step(ElementScope &scope,
                                          const Lines &from, const Lines &to,
                                          const Runs &runs, Value left,
                                          Value right, Value at);
  LogicalResult merge(ElementScope &scope, const Lines &from, const Lines &to,
                      ArrayRef<Runs> pairs);
  FailureOr<Value> comesFirst(ElementScope &scope, ValueRange lhs,
                              ValueRange rhs);
  Type elementType(unsigned i) {
    return tensorOf(op.getInputs()[i]).getElementType();
  }

  KernelEmitter &emitter;
  OpBuilder &b;
  SortOp op;
  ArrayRef<Buffer> results;
  int64_t dim;
  ArrayRef<int64_t> shape;
  int64_t length;
};

/// Memory for one line of every operand, for two where the result's lines are
/// not contiguous: an output made for it, or the stack.
FailureOr<SmallVector<Lines>> SortEmitter::scratch() {
  ElementScope scope = emitter.topScope(op.getLoc());
  SmallVector<Lines> all(isStrided(op) ? 2 : 1);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value shared;
    for (Operation *user : result.getUsers())
      if (isScratch(user))
        shared = user->getResult(0);
    if (!shared && scratchBytes(op) > kScratchOnStack)
      return op.emitOpError() << "needs " << scratchBytes(op)
                              << " bytes of scratch memory, for which its "
                                 "kernel has no result";
    for (auto [l, lines] : llvm::enumerate(all)) {
      if (!shared) {
        lines.push_back(lineOf(scope, emitter.rowBuffer(length, elementType(i)),
                               Index::constant(0), 0));
        continue;
      }
      IndexVector place(shape.size(), Index::constant(0));
      if (l == 1)
        place[secondDim(op)] = Index::constant(1);
      lines.push_back(lineOf(scope, emitter.placeOf(shared), place, dim));
    }
  }
  return all;
}

/// The operands' elements of the line.
LogicalResult SortEmitter::fill(ElementScope &scope, ArrayRef<Index> at,
                                const Lines &lines) {
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                           scope.indexConstant(length), scope.indexConstant(1));
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  IndexVector place(at);
  place[dim] = Index{loop.getInductionVar(), 0, 0, length - 1};
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Value scalar = inner.element(input, place);
    if (!scalar)
      return failure();
    lines[i].store(b, scope.loc,
                   toStorage(b, scope.loc, elementType(i), scalar),
                   loop.getInductionVar());
  }
  return success();
}

/// The comparator on stored elements.
FailureOr<Value> SortEmitter::comesFirst(ElementScope &scope, ValueRange lhs,
                                         ValueRange rhs) {
  SmallVector<Value> arguments, out;
  for (auto [i, left] : llvm::enumerate(lhs)) {
    arguments.push_back(toCompute(b, scope.loc, elementType(i), left));
    arguments.push_back(toCompute(b, scope.loc, elementType(i), rhs[i]));
  }
  if (failed(evaluateRegion(scope, op.getComparator(), arguments, out)))
    return failure();
  return out.front();
}

/// One step of merging `runs`: the next element goes to `at`. Yields where the
/// two runs stand. Reads are clamped, so that a comparator that is no order
/// still stays inside the line.
FailureOr<std::pair<Value, Value>>
SortEmitter::step(ElementScope &scope, const Lines &from, const Lines &to,
                  const Runs &runs, Value left, Value right, Value at) {
  Location loc = scope.loc;
  Value one = scope.indexConstant(1), last = scope.indexConstant(length - 1);
  ElementScope inner(&scope);
  Value leftAt = b.create<arith::MinUIOp>(loc, left, last);
  Value rightAt = b.create<arith::MinUIOp>(loc, right, last);
  SmallVector<Value> lefts, rights;
  for (const Line &line : from) {
    lefts.push_back(line.load(b, loc, leftAt));
    rights.push_back(line.load(b, loc, rightAt));
  }
  FailureOr<Value> isLess = comesFirst(inner, rights, lefts);
  if (failed(isLess))
    return failure();
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  };
  Value leftDone = compare(arith::CmpIPredicate::uge, left, runs.middle);
  Value rightOpen = compare(arith::CmpIPredicate::ult, right, runs.high);
  Value wanted = b.create<arith::OrIOp>(loc, leftDone, *isLess);
  Value takesRight = b.create<arith::AndIOp>(loc, rightOpen, wanted);
  for (auto [i, line] : llvm::enumerate(to))
    line.store(b, loc,
               b.create<arith::SelectOp>(loc, takesRight, rights[i], lefts[i]),
               at);
  Value moved =
      b.create<arith::IndexCastUIOp>(loc, b.getIndexType(), takesRight);
  Value kept = b.create<arith::SubIOp>(loc, one, moved);
  return std::make_pair<Value, Value>(
      b.create<arith::AddIOp>(loc, left, kept),
      b.create<arith::AddIOp>(loc, right, moved));
}

/// Merges pairs of runs of one total length side by side: each step waits for
/// the one before, but not for those of the other pairs.
LogicalResult SortEmitter::merge(ElementScope &scope, const Lines &from,
                                 const Lines &to, ArrayRef<Runs> pairs) {
  Location loc = scope.loc;
  SmallVector<Value> places;
  for (const Runs &runs : pairs)
    places.append({runs.low, runs.middle});
  Value count = b.create<arith::SubIOp>(loc, pairs[0].high, pairs[0].low);
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, scope.indexConstant(0), count,
                                   scope.indexConstant(1), places);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  SmallVector<Value> next;
  for (auto [i, runs] : llvm::enumerate(pairs)) {
    Value at = b.create<arith::AddIOp>(loc, runs.low, loop.getInductionVar());
    auto moved = step(inner, from, to, runs, loop.getRegionIterArg(2 * i),
                      loop.getRegionIterArg(2 * i + 1), at);
    if (failed(moved))
      return failure();
    next.append({moved->first, moved->second});
  }
  b.create<scf::YieldOp>(loc, next);
  return success();
}

/// Merges all pairs of neighbouring runs of `width`.
LogicalResult SortEmitter::pass(ElementScope &scope, const Lines &from,
                                const Lines &to, Value width) {
  Location loc = scope.loc;
  Value zero = scope.indexConstant(0), end = scope.indexConstant(length);
  auto plus = [&](Value x, Value y) -> Value {
    return b.create<arith::AddIOp>(loc, x, y);
  };
  Value both = plus(width, width);
  // As many whole pairs as go side by side, then the others one by one.
  Value abreast =
      b.create<arith::MulIOp>(loc, both, scope.indexConstant(kAbreast));
  Value rounds = b.create<arith::DivUIOp>(loc, end, abreast);
  Value rest = b.create<arith::MulIOp>(loc, rounds, abreast);
  auto over = [&](Value low, Value high, Value by, auto runsAt) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(loc, low, high, by);
    b.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    return merge(inner, from, to, runsAt(loop.getInductionVar()));
  };
  auto whole = [&](Value low) {
    SmallVector<Runs> pairs;
    for (int64_t i = 0; i < kAbreast; ++i) {
      Value middle = plus(low, width), high = plus(low, both);
      pairs.push_back({low, middle, high});
      low = high;
    }
    return pairs;
  };
  auto bounded = [&](Value low) {
    auto limit = [&](Value x) -> Value {
      return b.create<arith::MinUIOp>(loc, x, end);
    };
    return SmallVector<Runs>{
        {low, limit(plus(low, width)), limit(plus(low, both))}};
  };
  return success(succeeded(over(zero, rest, abreast, whole)) &&
                 succeeded(over(rest, end, both, bounded)));
}

void SortEmitter::copy(ElementScope &scope, const Lines &from,
                       const Lines &to) {
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                           scope.indexConstant(length), scope.indexConstant(1));
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  for (auto [source, target] : llvm::zip(from, to))
    target.store(b, scope.loc, source.load(b, scope.loc, i), i);
}

LogicalResult SortEmitter::sortLine(ElementScope &scope, ArrayRef<Index> at,
                                    ArrayRef<Lines> scratch) {
  Lines result;
  for (const Buffer &buffer : results)
    result.push_back(lineOf(scope, buffer, at, dim));
  const Lines &other = scratch[0];
  const Lines &sorted = scratch.size() > 1 ? scratch[1] : result;
  if (failed(sortInto(scope, at, sorted, other)))
    return failure();
  if (scratch.size() > 1)
    copy(scope, sorted, result);
  return success();
}

/// Sorts the line at `at` into `sorted`.
LogicalResult SortEmitter::sortInto(ElementScope &scope, ArrayRef<Index> at,
                                    const Lines &sorted, const Lines &other) {
  // An odd pass comes first, so that the last one ends in the result.
  unsigned passes = llvm::Log2_64_Ceil(length);
  Value width = scope.indexConstant(1);
  if (failed(fill(scope, at, passes % 2 ? other : sorted)))
    return failure();
  if (passes % 2) {
    if (failed(pass(scope, other, sorted, width)))
      return failure();
    width = scope.indexConstant(2);
  }
  if (passes < 2)
    return success();
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(scope.loc, scope.indexConstant(0),
                                   scope.indexConstant(passes / 2),
                                   scope.indexConstant(1), ValueRange{width});
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  width = loop.getRegionIterArg(0);
  if (failed(pass(inner, sorted, other, width)))
    return failure();
  Value twice = b.create<arith::AddIOp>(scope.loc, width, width);
  if (failed(pass(inner, other, sorted, twice)))
    return failure();
  Value next = b.create<arith::AddIOp>(scope.loc, twice, twice);
  b.create<scf::YieldOp>(scope.loc, next);
  return success();
}

LogicalResult SortEmitter::run() {
  SmallVector<Lines> buffers;
  if (length > 1) {
    FailureOr<SmallVector<Lines>> made = scratch();
    if (failed(made))
      return failure();
    buffers = *made;
  }
  ElementScope scope = emitter.topScope(op.getLoc());
  SmallVector<int64_t> lines(shape);
  lines[dim] = 1;
  return emitter.loops(
      scope, lines,
      [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
        if (length > 1)
          return sortLine(inner, at, buffers);
        Lines single;
        for (const Buffer &buffer : results)
          single.push_back(lineOf(inner, buffer, at, dim));
        return fill(inner, at, single);
      });
}

LogicalResult emitSort(KernelEmitter &emitter, Operation *op,
                       ArrayRef<Buffer> results) {
  return SortEmitter(emitter, cast<SortOp>(op), results).run();
}

constexpr StringLiteral kScratchAttr = "partopt.scratch";

} // namespace

int64_t scratchBytes(Operation *op) {
  auto sort = dyn_cast<SortOp>(op);
  if (!sort)
    return 0;
  int64_t bytes = 0;
  for (Value input : sort.getInputs())
    bytes += tensorOf(input).getDimSize(sortedDim(sort)) *
             storageBytes(tensorOf(input).getElementType());
  return isStrided(sort) ? 2 * bytes : bytes;
}

bool isScratch(Operation *op) { return op && op->hasAttr(kScratchAttr); }

SmallVector<Value> createScratch(OpBuilder &b, Operation *op) {
  SmallVector<Value> values;
  if (scratchBytes(op) <= kScratchOnStack)
    return values;
  auto sort = cast<SortOp>(op);
  int64_t dim = sortedDim(sort);
  for (Value result : op->getResults()) {
    RankedTensorType type = tensorOf(result);
    SmallVector<int64_t> shape(type.getRank(), 1), zeros(type.getRank(), 0),
        ones(shape);
    shape[dim] = type.getDimSize(dim);
    if (isStrided(sort))
      shape[secondDim(sort)] = 2;
    auto line = b.create<SliceOp>(
        op->getLoc(), RankedTensorType::get(shape, type.getElementType()),
        result, b.getDenseI64ArrayAttr(zeros), b.getDenseI64ArrayAttr(shape),
        b.getDenseI64ArrayAttr(ones));
    line->setAttr(kScratchAttr, b.getUnitAttr());
    values.push_back(line);
  }
  return values;
}

void addSortRules(RuleTable &t) {
  OpRule sort;
  sort.emit = emitSort;
  sort.gpuEmit = emitSortOnGpu;
  t.add<SortOp>(sort);
}

} // namespace partopt::codegen
