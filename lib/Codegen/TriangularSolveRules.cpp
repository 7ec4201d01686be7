// triangular_solve. All inner loops run along rows, which are contiguous: sums
// of products of two rows, or multiples of a row taken from another one.
#include "FormKernels.h"
#include "MatrixEmitter.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Rows that are taken from another row at once.
constexpr int64_t kRowsAtOnce = 4;

/// Solves m x = b, where m is the matrix a or its transpose: of the left side's
/// op(a), and for the right side, whose rows are the unknowns, of the transpose
/// of op(a).
class SolveEmitter : public MatrixEmitter {
public:
  SolveEmitter(KernelEmitter &emitter, TriangularSolveOp op, Buffer result)
      : MatrixEmitter(emitter, op), op(op), result(result),
        shape(tensorOf(op.getResult()).getShape().take_back(2)),
        n(tensorOf(op.getA()).getShape().back()),
        isTransposed((op.getTransposeA() != Transpose::NO_TRANSPOSE) ==
                     op.getLeftSide()),
        isForward(op.getLower() != isTransposed) {}

  LogicalResult run();
  LogicalResult runOnGpu();

private:
  Parts coefficient(Value i, Value j) {
    Parts value = load(a, i, j);
    return op.getTransposeA() == Transpose::ADJOINT ? conjugate(value) : value;
  }
  Parts divided(const Parts &value, Value i) {
    return op.getUnitDiagonal() ? value : quotient(value, coefficient(i, i));
  }
  /// Unknowns in the order in which they are found.
  template <typename Body> void overUnknowns(Body body) {
    over(constant(0), constant(n), [&](Value step) {
      body(isForward ? step
                     : b.create<arith::SubIOp>(loc, constant(n - 1), step));
    });
  }
  /// The unknowns that are found before `i`, after it.
  std::pair<Value, Value> before(Value i) {
    return isForward ? std::pair{constant(0), i}
                     : std::pair{plus(i, 1), constant(n)};
  }
  std::pair<Value, Value> after(Value i) {
    return isForward ? std::pair{plus(i, 1), constant(n)}
                     : std::pair{constant(0), i};
  }
  void vectors();
  void vectorBySums(Value row);
  void vectorByMultiples(Value row);
  void rows();
  void subtractRows(Value i, Value k, int64_t count);

  TriangularSolveOp op;
  Buffer result;
  ArrayRef<int64_t> shape;
  int64_t n;
  bool isTransposed, isForward;
  Matrix a, given, x;
};

/// The unknowns are the elements of each row of the result, or of its only
/// column.
void SolveEmitter::vectors() {
  bool isColumn = op.getLeftSide();
  over(constant(0), constant(isColumn ? 1 : shape[0]), [&](Value row) {
    if (isTransposed)
      vectorByMultiples(row);
    else
      vectorBySums(row);
  });
}

void SolveEmitter::vectorBySums(Value row) {
  overUnknowns([&](Value i) {
    auto [low, high] = before(i);
    bool conjugates = op.getTransposeA() == Transpose::ADJOINT;
    Parts rest =
        minusRows(load(given, row, i), x, row, a, i, low, high, conjugates);
    store(x, row, i, divided(rest, i));
  });
}

void SolveEmitter::vectorByMultiples(Value row) {
  over(constant(0), constant(n),
       [&](Value i) { store(x, row, i, load(given, row, i)); });
  overUnknowns([&](Value i) {
    Parts found = divided(load(x, row, i), i);
    store(x, row, i, found);
    auto [low, high] = after(i);
    over(low, high, [&](Value k) {
      store(x, row, k, minusProduct(load(x, row, k), found, coefficient(i, k)));
    });
  });
}

/// Takes multiples of the found rows k, ..., k + count - 1 from row i.
void SolveEmitter::subtractRows(Value i, Value k, int64_t count) {
  SmallVector<Value> found;
  SmallVector<Parts> factors;
  for (int64_t r = 0; r < count; ++r) {
    found.push_back(plus(k, r));
    factors.push_back(isTransposed ? coefficient(found.back(), i)
                                   : coefficient(i, found.back()));
  }
  over(constant(0), constant(shape[1]), [&](Value j) {
    Parts value = load(x, i, j);
    for (auto [row, factor] : llvm::zip(found, factors))
      value = minusProduct(value, factor, load(x, row, j));
    store(x, i, j, value);
  });
}

/// The unknowns are the rows of the result.
void SolveEmitter::rows() {
  Value columns = constant(shape[1]), zero = constant(0);
  overUnknowns([&](Value i) {
    over(zero, columns, [&](Value j) { store(x, i, j, load(given, i, j)); });
    auto [low, high] = before(i);
    Value count = b.create<arith::SubIOp>(loc, high, low);
    Value rest = b.create<arith::RemUIOp>(loc, count, constant(kRowsAtOnce));
    Value whole = b.create<arith::SubIOp>(loc, high, rest);
    over(
        low, whole, [&](Value k) { subtractRows(i, k, kRowsAtOnce); },
        kRowsAtOnce);
    over(whole, high, [&](Value k) { subtractRows(i, k, 1); });
    if (op.getUnitDiagonal())
      return;
    Parts diagonal = coefficient(i, i);
    over(zero, columns,
         [&](Value j) { store(x, i, j, quotient(load(x, i, j), diagonal)); });
  });
}

LogicalResult SolveEmitter::run() {
  // One column in memory is as good as one row.
  bool isColumn = op.getLeftSide() && shape[1] == 1;
  return overBatch([&](ElementScope &scope, ArrayRef<Index> at) {
    a = matrix(scope, scope.bufferOf(op.getA()), op.getA(), at);
    given = matrix(scope, scope.bufferOf(op.getB()), op.getB(), at);
    x = matrix(scope, result, op.getResult(), at);
    given.isColumn = x.isColumn = isColumn;
    if (isColumn || !op.getLeftSide())
      vectors();
    else
      rows();
  });
}

/// A thread for every right-hand side.
LogicalResult SolveEmitter::runOnGpu() {
  bool isLeft = op.getLeftSide();
  ElementScope scope = emitter.topScope(loc);
  SmallVector<int64_t> systems(
      tensorOf(op.getResult()).getShape().drop_back(2));
  systems.push_back(isLeft ? shape[1] : shape[0]);
  auto solve = [&](ElementScope &inner, ArrayRef<Index> at) {
    ArrayRef<Index> batch = at.drop_back();
    a = matrix(inner, inner.bufferOf(op.getA()), op.getA(), batch);
    given = matrix(inner, inner.bufferOf(op.getB()), op.getB(), batch);
    x = matrix(inner, result, op.getResult(), batch);
    given.isColumn = x.isColumn = isLeft;
    Value row = inner.materialize(at.back());
    isTransposed ? vectorByMultiples(row) : vectorBySums(row);
    return success();
  };
  return emitter.parallel(scope, systems, solve);
}

LogicalResult emitSolveOnGpu(KernelEmitter &emitter, Operation *op,
                             ArrayRef<Buffer> results) {
  return SolveEmitter(emitter, cast<TriangularSolveOp>(op), results[0])
      .runOnGpu();
}

LogicalResult emitSolve(KernelEmitter &emitter, Operation *op,
                        ArrayRef<Buffer> results) {
  return SolveEmitter(emitter, cast<TriangularSolveOp>(op), results[0]).run();
}

} // namespace

void widenTriangular(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<CholeskyOp, TriangularSolveOp>(op))
      continue;
    RankedTensorType type = tensorOf(op.getResult(0));
    if (!type.getElementType().isBF16() && !type.getElementType().isF16())
      continue;
    OpBuilder b(&op);
    for (OpOperand &operand : op.getOpOperands())
      operand.set(b.create<ConvertOp>(
          op.getLoc(), tensorOf(operand.get()).clone(b.getF32Type()),
          operand.get()));
    Value result = op.getResult(0);
    result.setType(type.clone(b.getF32Type()));
    b.setInsertionPointAfter(&op);
    auto narrow = b.create<ConvertOp>(op.getLoc(), type, result);
    result.replaceAllUsesExcept(narrow, narrow);
  }
}

void addTriangularSolveRules(RuleTable &t) {
  OpRule solve;
  solve.emit = emitSolve;
  solve.gpuEmit = emitSolveOnGpu;
  solve.readsMemory = true;
  t.add<TriangularSolveOp>(solve);
}

} // namespace partopt::codegen
