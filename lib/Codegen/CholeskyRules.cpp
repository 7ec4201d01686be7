// cholesky: each element of a row is what is left of the matrix's after the
// products of that row and an earlier one, both of them contiguous.
#include "EmitGpu.h"
#include "MatrixEmitter.h"

#include "dialects/StableHLO/StableHLO.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// The lower factor, row by row; for the upper one that of the adjoint, turned
/// in place.
class CholeskyEmitter : public MatrixEmitter {
public:
  CholeskyEmitter(KernelEmitter &emitter, CholeskyOp op, Buffer result)
      : MatrixEmitter(emitter, op), op(op), result(result),
        n(tensorOf(op.getResult()).getShape().back()) {}

  LogicalResult run() {
    return overBatch([&](ElementScope &scope, ArrayRef<Index> at) {
      a = matrix(scope, scope.bufferOf(op.getA()), op.getA(), at);
      r = matrix(scope, result, op.getResult(), at);
      Value isDefinite = factor();
      if (!op.getLower())
        turn();
      Truth failed = !Truth{&b, loc, isDefinite};
      b.create<scf::IfOp>(loc, failed.value, [&](OpBuilder &, Location) {
        fill(std::numeric_limits<double>::quiet_NaN());
        b.create<scf::YieldOp>(loc);
      });
    });
  }

  LogicalResult runOnGpu(GpuEmitter &gpu);

private:
  void factorByBlock(GpuEmitter &gpu, ElementScope &scope, Value lane,
                     int64_t threads);
  /// Element (i, j), j <= i, of the matrix or its adjoint.
  Parts source(Value i, Value j) {
    return op.getLower() ? load(a, i, j) : conjugate(load(a, j, i));
  }
  Parts number(double value);
  Value factor();
  Value row(Value i);
  void turn();
  void turnRow(Value i);
  void fill(double value);

  CholeskyOp op;
  Buffer result;
  int64_t n;
  Matrix a, r;
};

Parts CholeskyEmitter::number(double value) {
  Type type = computeType(r.element);
  bool isComplex = isa<ComplexType>(type);
  auto part = cast<FloatType>(
      isComplex ? cast<ComplexType>(type).getElementType() : type);
  Value scalar = b.create<arith::ConstantOp>(loc, b.getFloatAttr(part, value));
  return Parts(isComplex ? 2 : 1, Number{&b, loc, scalar});
}

/// Row `i` of the factor; true when its pivot is positive.
Value CholeskyEmitter::row(Value i) {
  over(constant(0), i, [&](Value j) {
    Parts rest = minusRows(source(i, j), r, i, r, j, constant(0), j, true);
    store(r, i, j, quotient(rest, {load(r, j, j)[0]}));
  });
  // The diagonal is real; of its elements only the real parts count.
  Parts diagonal = source(i, i);
  Number pivot = minusRows(diagonal, r, i, r, i, constant(0), i, true)[0];
  Parts root = number(0);
  root[0] = sqrt(pivot);
  store(r, i, i, root);
  over(plus(i, 1), constant(n), [&](Value j) { store(r, i, j, number(0)); });
  return (pivot > 0.0).value;
}

Value CholeskyEmitter::factor() {
  OpBuilder::InsertionGuard guard(b);
  Value yes = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
  auto loop = b.create<scf::ForOp>(loc, constant(0), constant(n), constant(1),
                                   ValueRange{yes});
  b.setInsertionPointToStart(loop.getBody());
  Value isPositive = row(loop.getInductionVar());
  Value all =
      b.create<arith::AndIOp>(loc, loop.getRegionIterArg(0), isPositive);
  b.create<scf::YieldOp>(loc, all);
  return loop.getResult(0);
}

void CholeskyEmitter::turn() {
  over(constant(0), constant(n), [&](Value i) { turnRow(i); });
}

void CholeskyEmitter::turnRow(Value i) {
  over(constant(0), i, [&](Value j) {
    store(r, j, i, conjugate(load(r, i, j)));
    store(r, i, j, number(0));
  });
}

void CholeskyEmitter::fill(double value) {
  over(constant(0), constant(n), [&](Value i) {
    over(constant(0), constant(n),
         [&](Value j) { store(r, i, j, number(value)); });
  });
}

/// The lower factor column by column: thread 0 finds the pivot, all threads the
/// rows below it.
void CholeskyEmitter::factorByBlock(GpuEmitter &gpu, ElementScope &scope,
                                    Value lane, int64_t threads) {
  over(constant(0), constant(n), [&](Value j) {
    Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane,
                                            constant(0));
    b.create<scf::IfOp>(loc, isFirst, [&](OpBuilder &, Location) {
      Number pivot =
          minusRows(source(j, j), r, j, r, j, constant(0), j, true)[0];
      Parts root = number(0);
      root[0] = sqrt(pivot);
      store(r, j, j, root);
      b.create<scf::YieldOp>(loc);
    });
    gpu.barrier(scope);
    Value first = b.create<arith::AddIOp>(loc, plus(j, 1), lane);
    over(
        first, constant(n),
        [&](Value i) {
          Parts rest =
              minusRows(source(i, j), r, i, r, j, constant(0), j, true);
          store(r, i, j, quotient(rest, {load(r, j, j)[0]}));
          store(r, j, i, number(0));
        },
        threads);
    gpu.barrier(scope);
  });
}

/// A block for every matrix.
LogicalResult CholeskyEmitter::runOnGpu(GpuEmitter &gpu) {
  ArrayRef<int64_t> batch = tensorOf(op.getResult()).getShape().drop_back(2);
  int64_t threads = n <= kWarp ? kWarp : kBlock, count = productOf(batch);
  if (count == 0 || n == 0)
    return success();
  auto block = [&](ElementScope &scope) {
    IndexVector at = gpu.coordinates(scope, gpu.blockId(scope), batch);
    Value lane = gpu.threadId(scope);
    a = matrix(scope, scope.bufferOf(op.getA()), op.getA(), at);
    r = matrix(scope, result, op.getResult(), at);
    factorByBlock(gpu, scope, lane, threads);
    // Every thread looks at all pivots before one writes.
    Value yes = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
    auto loop = b.create<scf::ForOp>(loc, constant(0), constant(n), constant(1),
                                     ValueRange{yes});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value i = loop.getInductionVar();
      Truth isPositive = load(r, i, i)[0] > 0.0;
      b.create<scf::YieldOp>(
          loc, b.create<arith::AndIOp>(loc, loop.getRegionIterArg(0),
                                       isPositive.value)
                   .getResult());
    }
    gpu.barrier(scope);
    Truth failed = !Truth{&b, loc, loop.getResult(0)};
    Parts nothing = number(std::numeric_limits<double>::quiet_NaN());
    over(
        lane, constant(n),
        [&](Value i) {
          if (!op.getLower())
            turnRow(i);
          b.create<scf::IfOp>(loc, failed.value, [&](OpBuilder &, Location) {
            over(constant(0), plus(i, 1), [&](Value j) {
              store(r, i, j, nothing);
              store(r, j, i, nothing);
            });
            b.create<scf::YieldOp>(loc);
          });
        },
        threads);
    return success();
  };
  return gpu.launch(loc, count, threads, block);
}

LogicalResult emitCholeskyOnGpu(KernelEmitter &emitter, Operation *op,
                                ArrayRef<Buffer> results) {
  return CholeskyEmitter(emitter, cast<CholeskyOp>(op), results[0])
      .runOnGpu(static_cast<GpuEmitter &>(emitter));
}

LogicalResult emitCholesky(KernelEmitter &emitter, Operation *op,
                           ArrayRef<Buffer> results) {
  return CholeskyEmitter(emitter, cast<CholeskyOp>(op), results[0]).run();
}

} // namespace

void addCholeskyRules(RuleTable &t) {
  OpRule cholesky;
  cholesky.emit = emitCholesky;
  cholesky.gpuEmit = emitCholeskyOnGpu;
  cholesky.readsMemory = true;
  t.add<CholeskyOp>(cholesky);
}

} // namespace partopt::codegen
