// sort merges runs of 1, 2, 4, ... elements to and fro
// between the result and scratch memory of one line: stable, n log n compares,
// no branch that depends on the data.
#include "BufferLine.h"

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

class SortEmitter {
public:
  SortEmitter(KernelEmitter &emitter, SortOp op, ArrayRef<Buffer> results)
      : emitter(emitter), b(emitter.getBuilder()), op(op), results(results),
        dim(sortedDim(op)), shape(tensorOf(op.getInputs()[0]).getShape()),
        length(shape[dim]) {}

  LogicalResult run();

private:
  FailureOr<SmallVector<Buffer>> scratch();
  LogicalResult sortLine(ElementScope &scope, ArrayRef<Index> at,
                         ArrayRef<Buffer> scratch);
  LogicalResult fill(ElementScope &scope, ArrayRef<Index> at,
                     const Lines &lines);
  LogicalResult pass(ElementScope &scope, const Lines &from, const Lines &to,
                     Value width);
  LogicalResult merge(ElementScope &scope, const Lines &from, const Lines &to,
                      Value low, Value middle, Value high);
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

/// Memory for one line of every operand: an output made for it, or the stack.
FailureOr<SmallVector<Buffer>> SortEmitter::scratch() {
  SmallVector<Buffer> buffers;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Buffer buffer;
    for (Operation *user : result.getUsers())
      if (isScratch(user))
        buffer = emitter.placeOf(user->getResult(0));
    if (!buffer.memref && scratchBytes(op) > kScratchOnStack)
      return op.emitOpError() << "needs " << scratchBytes(op)
                              << " bytes of scratch memory, for which its "
                                 "kernel has no result";
    buffers.push_back(
        buffer.memref ? buffer : emitter.rowBuffer(length, elementType(i)));
  }
  return buffers;
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

/// Merges the runs [low, middle) and [middle, high). Reads are clamped, so that
/// a comparator that is no order still stays inside the line.
LogicalResult SortEmitter::merge(ElementScope &scope, const Lines &from,
                                 const Lines &to, Value low, Value middle,
                                 Value high) {
  Location loc = scope.loc;
  Value one = scope.indexConstant(1), last = scope.indexConstant(length - 1);
  OpBuilder::InsertionGuard guard(b);
  auto loop =
      b.create<scf::ForOp>(loc, low, high, one, ValueRange{low, middle});
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
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
  Value leftDone = compare(arith::CmpIPredicate::uge, left, middle);
  Value rightOpen = compare(arith::CmpIPredicate::ult, right, high);
  Value wanted = b.create<arith::OrIOp>(loc, leftDone, *isLess);
  Value takesRight = b.create<arith::AndIOp>(loc, rightOpen, wanted);
  for (auto [i, line] : llvm::enumerate(to))
    line.store(b, loc,
               b.create<arith::SelectOp>(loc, takesRight, rights[i], lefts[i]),
               loop.getInductionVar());
  Value step =
      b.create<arith::IndexCastUIOp>(loc, b.getIndexType(), takesRight);
  Value nextRight = b.create<arith::AddIOp>(loc, right, step);
  Value nextLeft = b.create<arith::AddIOp>(
      loc, left, b.create<arith::SubIOp>(loc, one, step));
  b.create<scf::YieldOp>(loc, ValueRange{nextLeft, nextRight});
  return success();
}

/// Merges all pairs of neighbouring runs of `width`.
LogicalResult SortEmitter::pass(ElementScope &scope, const Lines &from,
                                const Lines &to, Value width) {
  Location loc = scope.loc;
  Value end = scope.indexConstant(length);
  Value both = b.create<arith::AddIOp>(loc, width, width);
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::ForOp>(loc, scope.indexConstant(0), end, both);
  b.setInsertionPointToStart(loop.getBody());
  ElementScope inner(&scope);
  Value low = loop.getInductionVar();
  auto bounded = [&](Value distance) -> Value {
    return b.create<arith::MinUIOp>(
        loc, b.create<arith::AddIOp>(loc, low, distance), end);
  };
  return merge(inner, from, to, low, bounded(width), bounded(both));
}

LogicalResult SortEmitter::sortLine(ElementScope &scope, ArrayRef<Index> at,
                                    ArrayRef<Buffer> scratch) {
  Lines sorted, other;
  for (auto [i, buffer] : llvm::enumerate(results)) {
    sorted.push_back(lineOf(scope, buffer, at, dim));
    int64_t rank = cast<MemRefType>(scratch[i].memref.getType()).getRank();
    IndexVector zeros(rank, Index::constant(0));
    other.push_back(
        lineOf(scope, scratch[i], zeros, rank == int64_t(at.size()) ? dim : 0));
  }
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
  SmallVector<Buffer> buffers;
  if (length > 1) {
    FailureOr<SmallVector<Buffer>> made = scratch();
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
  return bytes;
}

bool isScratch(Operation *op) { return op && op->hasAttr(kScratchAttr); }

SmallVector<Value> createScratch(OpBuilder &b, Operation *op) {
  SmallVector<Value> values;
  if (scratchBytes(op) <= kScratchOnStack)
    return values;
  int64_t dim = sortedDim(cast<SortOp>(op));
  for (Value result : op->getResults()) {
    RankedTensorType type = tensorOf(result);
    SmallVector<int64_t> shape(type.getRank(), 1), zeros(type.getRank(), 0),
        ones(shape);
    shape[dim] = type.getDimSize(dim);
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
  t.add<SortOp>(sort);
}

} // namespace partopt::codegen
