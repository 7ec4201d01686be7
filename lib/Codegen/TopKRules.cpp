// top_k keeps a heap of k candidates in its results, in one pass over the
// operand, and sorts it in place at the end.
#include "BufferLine.h"
#include "GpuSort.h"

#include "dialects/StableHLO/Chlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// A heap of (value, place) pairs in the results, the worst pair on top. A pair
/// is better when its value is larger in the total order, or equal and earlier.
class TopKEmitter {
public:
  TopKEmitter(KernelEmitter &emitter, chlo::TopKOp op, ArrayRef<Buffer> results)
      : emitter(emitter), b(emitter.getBuilder()), op(op), results(results),
        loc(op.getLoc()), element(tensorOf(op.getOperand()).getElementType()),
        indexType(storageType(tensorOf(op.getIndices()).getElementType())),
        dim(tensorOf(op.getOperand()).getRank() - 1),
        length(tensorOf(op.getOperand()).getDimSize(dim)),
        k(tensorOf(op.getValues()).getDimSize(dim)) {}

  LogicalResult run();
  LogicalResult runOnGpu(GpuEmitter &gpu);

private:
  struct Pair {
    Value value, place;
  };

  LogicalResult line(ElementScope &scope, ArrayRef<Index> at);
  FailureOr<Pair> source(ElementScope &scope, ArrayRef<Index> at, Value i);
  Pair load(Value i) {
    return {values.load(b, loc, i), places.load(b, loc, i)};
  }
  void store(const Pair &pair, Value i) {
    values.store(b, loc, pair.value, i);
    places.store(b, loc, pair.place, i);
  }
  Value isBetter(const Pair &x, const Pair &y);
  Value orderKey(Value stored);
  void siftDown(const Pair &pair, Value root, Value size);
  /// Loops from `low` to `high`; the body gets the variable.
  template <typename Body> auto over(Value low, Value high, Body body) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<scf::ForOp>(loc, low, high, constant(1));
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getInductionVar());
  }
  Value constant(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, predicate, x, y);
  }

  KernelEmitter &emitter;
  OpBuilder &b;
  chlo::TopKOp op;
  ArrayRef<Buffer> results;
  Location loc;
  Type element, indexType;
  int64_t dim, length, k;
  Line values, places;
};

/// The stored value as a signed integer in the total order: -NaN, -inf, ...,
/// -0, +0, ..., inf, NaN.
Value TopKEmitter::orderKey(Value stored) {
  if (!isa<FloatType>(element))
    return stored;
  auto type = b.getIntegerType(storageBytes(element) * 8);
  if (stored.getType() != type)
    stored = b.create<arith::BitcastOp>(loc, type, stored);
  auto number = [&](const APInt &value) -> Value {
    return b.create<arith::ConstantOp>(loc, IntegerAttr::get(type, value));
  };
  unsigned width = type.getWidth();
  Value sign =
      b.create<arith::ShRSIOp>(loc, stored, number(APInt(width, width - 1)));
  Value flips = b.create<arith::AndIOp>(
      loc, sign, number(APInt::getSignedMaxValue(width)));
  return b.create<arith::XOrIOp>(loc, stored, flips);
}

Value TopKEmitter::isBetter(const Pair &x, const Pair &y) {
  Value left = orderKey(x.value), right = orderKey(y.value);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Value greater = compare(isUnsigned ? arith::CmpIPredicate::ugt
                                     : arith::CmpIPredicate::sgt,
                          left, right);
  Value equal = compare(arith::CmpIPredicate::eq, left, right);
  Value earlier = compare(arith::CmpIPredicate::ult, x.place, y.place);
  return b.create<arith::OrIOp>(loc, greater,
                                b.create<arith::AndIOp>(loc, equal, earlier));
}

FailureOr<TopKEmitter::Pair> TopKEmitter::source(ElementScope &scope,
                                                 ArrayRef<Index> at, Value i) {
  ElementScope inner(&scope);
  IndexVector place(at);
  place[dim] = Index{i, 0, 0, length - 1};
  Value scalar = inner.element(op.getOperand(), place);
  if (!scalar)
    return failure();
  return Pair{toStorage(b, loc, element, scalar),
              b.create<arith::IndexCastUIOp>(loc, indexType, i)};
}

/// Puts `pair` where it belongs in the heap of `size` pairs whose top `root`
/// is free.
void TopKEmitter::siftDown(const Pair &pair, Value root, Value size) {
  Value one = constant(1), two = constant(2);
  auto loop = b.create<scf::WhileOp>(
      loc, TypeRange{b.getIndexType()}, ValueRange{root},
      [&](OpBuilder &, Location, ValueRange arguments) {
        // The worse of the two children, if it is worse than the pair.
        Value at = arguments[0];
        Value left = b.create<arith::AddIOp>(
            loc, b.create<arith::MulIOp>(loc, at, two), one);
        Value hasChild = compare(arith::CmpIPredicate::ult, left, size);
        auto child = b.create<scf::IfOp>(
            loc, hasChild,
            [&](OpBuilder &, Location) {
              Value right = b.create<arith::AddIOp>(loc, left, one);
              Value lastChild = b.create<arith::SubIOp>(loc, size, one);
              Value bounded = b.create<arith::MinUIOp>(loc, right, lastChild);
              Pair first = load(left), second = load(bounded);
              Value worseFirst = isBetter(second, first);
              Value worst =
                  b.create<arith::SelectOp>(loc, worseFirst, left, bounded);
              Pair child{b.create<arith::SelectOp>(loc, worseFirst, first.value,
                                                   second.value),
                         b.create<arith::SelectOp>(loc, worseFirst, first.place,
                                                   second.place)};
              Value sinks = isBetter(pair, child);
              b.create<scf::IfOp>(loc, sinks, [&](OpBuilder &, Location) {
                store(child, at);
                b.create<scf::YieldOp>(loc);
              });
              Value next = b.create<arith::SelectOp>(loc, sinks, worst, at);
              b.create<scf::YieldOp>(loc, ValueRange{sinks, next});
            },
            [&](OpBuilder &, Location) {
              Value no = b.create<arith::ConstantIntOp>(loc, 0, 1);
              b.create<scf::YieldOp>(loc, ValueRange{no, at});
            });
        b.create<scf::ConditionOp>(loc, child.getResult(0), child.getResult(1));
      },
      [&](OpBuilder &, Location, ValueRange arguments) {
        b.create<scf::YieldOp>(loc, arguments);
      });
  store(pair, loop.getResult(0));
}

LogicalResult TopKEmitter::line(ElementScope &scope, ArrayRef<Index> at) {
  values = lineOf(scope, results[0], at, dim);
  places = lineOf(scope, results[1], at, dim);
  Value zero = constant(0), size = constant(k), end = constant(length);
  auto fillOne = [&](Value i) -> LogicalResult {
    FailureOr<Pair> pair = source(scope, at, i);
    if (succeeded(pair))
      store(*pair, i);
    return pair;
  };
  if (failed(over(zero, size, fillOne)))
    return failure();
  over(zero, constant(k / 2), [&](Value i) {
    Value root = b.create<arith::SubIOp>(loc, constant(k / 2 - 1), i);
    siftDown(load(root), root, size);
  });
  auto offer = [&](Value i) -> LogicalResult {
    FailureOr<Pair> pair = source(scope, at, i);
    if (failed(pair))
      return failure();
    b.create<scf::IfOp>(loc, isBetter(*pair, load(zero)),
                        [&](OpBuilder &, Location) {
                          siftDown(*pair, zero, size);
                          b.create<scf::YieldOp>(loc);
                        });
    return success();
  };
  if (failed(over(size, end, offer)))
    return failure();
  // The worst of what is left goes behind it.
  over(zero, constant(k - 1), [&](Value i) {
    Value last = b.create<arith::SubIOp>(loc, constant(k - 1), i);
    Pair worst = load(zero), moved = load(last);
    store(worst, last);
    siftDown(moved, zero, last);
  });
  return success();
}

LogicalResult TopKEmitter::run() {
  if (k == 0)
    return success();
  ElementScope scope = emitter.topScope(loc);
  SmallVector<int64_t> lines(tensorOf(op.getOperand()).getShape());
  lines[dim] = 1;
  return emitter.loops(
      scope, lines,
      [&](ElementScope &inner, ArrayRef<Index> at) { return line(inner, at); });
}

/// All pairs sorted, of which the first k are kept.
LogicalResult TopKEmitter::runOnGpu(GpuEmitter &gpu) {
  if (k == 0)
    return success();
  RankedTensorType whole = tensorOf(op.getOperand());
  SmallVector<Type> types{element, tensorOf(op.getIndices()).getElementType()};
  SmallVector<Buffer> sorted;
  for (Type type : types)
    sorted.push_back(gpu.scratch(whole.getShape(), type));
  auto fill = [&](ElementScope &scope, ArrayRef<Index> at,
                  SmallVectorImpl<Value> &stored) -> LogicalResult {
    FailureOr<Pair> pair = source(scope, at, scope.materialize(at[dim]));
    if (failed(pair))
      return failure();
    stored.append({pair->value, pair->place});
    return success();
  };
  auto comesFirst = [&](ElementScope &, ValueRange lhs,
                        ValueRange rhs) -> FailureOr<Value> {
    return isBetter({lhs[0], lhs[1]}, {rhs[0], rhs[1]});
  };
  if (failed(GpuMergeSort(gpu, loc, whole.getShape(), dim)
                 .run(sorted, types, fill, comesFirst)))
    return failure();
  ElementScope scope = emitter.topScope(loc);
  auto take = [&](ElementScope &inner, ArrayRef<Index> at) {
    for (auto [from, to, type] : llvm::zip(sorted, results, types))
      emitter.store(inner, to, type, at, inner.load(from, type, at));
    return success();
  };
  return emitter.parallel(scope, tensorOf(op.getValues()).getShape(), take);
}

LogicalResult emitTopKOnGpu(KernelEmitter &emitter, Operation *op,
                            ArrayRef<Buffer> results) {
  Type element = tensorOf(op->getOperand(0)).getElementType();
  if (isa<ComplexType>(element))
    return op->emitError("'")
           << op->getName() << "' has no kernel for element type " << element;
  return TopKEmitter(emitter, cast<chlo::TopKOp>(op), results)
      .runOnGpu(static_cast<GpuEmitter &>(emitter));
}

LogicalResult emitTopK(KernelEmitter &emitter, Operation *op,
                       ArrayRef<Buffer> results) {
  Type element = tensorOf(op->getOperand(0)).getElementType();
  if (isa<ComplexType>(element))
    return op->emitError("'")
           << op->getName() << "' has no kernel for element type " << element;
  return TopKEmitter(emitter, cast<chlo::TopKOp>(op), results).run();
}

} // namespace

void addTopKRules(RuleTable &t) {
  OpRule topK;
  topK.emit = emitTopK;
  topK.gpuEmit = emitTopKOnGpu;
  t.add<chlo::TopKOp>(topK);
}

} // namespace partopt::codegen
