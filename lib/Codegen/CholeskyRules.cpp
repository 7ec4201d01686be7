// cholesky: each element of a row is what is left of the matrix's after the
// products of that row and an earlier one, both of them contiguous.
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

private:
  /// Element (i, j), j <= i, of the matrix or its adjoint.
  Parts source(Value i, Value j) {
    return op.getLower() ? load(a, i, j) : conjugate(load(a, j, i));
  }
  Parts number(double value);
  Value factor();
  Value row(Value i);
  void turn();
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
  over(constant(0), constant(n), [&](Value i) {
    over(constant(0), i, [&](Value j) {
      store(r, j, i, conjugate(load(r, i, j)));
      store(r, i, j, number(0));
    });
  });
}

void CholeskyEmitter::fill(double value) {
  over(constant(0), constant(n), [&](Value i) {
    over(constant(0), constant(n),
         [&](Value j) { store(r, i, j, number(value)); });
  });
}

LogicalResult emitCholesky(KernelEmitter &emitter, Operation *op,
                           ArrayRef<Buffer> results) {
  return CholeskyEmitter(emitter, cast<CholeskyOp>(op), results[0]).run();
}

} // namespace

void addCholeskyRules(RuleTable &t) {
  OpRule cholesky;
  cholesky.emit = emitCholesky;
  cholesky.readsMemory = true;
  t.add<CholeskyOp>(cholesky);
}

} // namespace partopt::codegen
