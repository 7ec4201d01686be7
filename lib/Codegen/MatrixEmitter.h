// Loops over matrices in memory, one of a batch after the other, for ops that
// find elements of their result from elements found before.
#ifndef PARTOPT_LIB_CODEGEN_MATRIXEMITTER_H
#define PARTOPT_LIB_CODEGEN_MATRIXEMITTER_H

#include "EmitKernel.h"
#include "Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partopt::codegen {

/// Parts of a scalar in compute form: one, or the real and the imaginary one.
using Parts = llvm::SmallVector<Number, 2>;

/// One matrix of a batch in memory; `isColumn`: its only column is taken for a
/// row.
struct Matrix {
  mlir::Value memref;
  mlir::Type element;
  llvm::SmallVector<mlir::Value, 4> batch;
  bool isColumn = false;

  llvm::SmallVector<mlir::Value, 4> place(mlir::Value i, mlir::Value j) const {
    llvm::SmallVector<mlir::Value, 4> at(batch);
    if (isColumn)
      std::swap(i, j);
    at.append({i, j});
    return at;
  }
};

class MatrixEmitter {
public:
  MatrixEmitter(KernelEmitter &emitter, mlir::Operation *op)
      : emitter(emitter), b(emitter.getBuilder()), op(op), loc(op->getLoc()) {}

protected:
  Matrix matrix(ElementScope &scope, const Buffer &buffer, mlir::Value value,
                llvm::ArrayRef<Index> at);
  /// Runs `body` at every place of the batch.
  mlir::LogicalResult overBatch(
      llvm::function_ref<void(ElementScope &, llvm::ArrayRef<Index>)> body);

  Parts load(const Matrix &m, mlir::Value i, mlir::Value j);
  void store(const Matrix &m, mlir::Value i, mlir::Value j,
             const Parts &scalar);
  mlir::Value constant(int64_t value) {
    return b.create<mlir::arith::ConstantIndexOp>(loc, value);
  }
  mlir::Value plus(mlir::Value x, int64_t y) {
    return b.create<mlir::arith::AddIOp>(loc, x, constant(y));
  }
  template <typename Body>
  void over(mlir::Value low, mlir::Value high, Body body, int64_t step = 1) {
    mlir::OpBuilder::InsertionGuard guard(b);
    auto loop = b.create<mlir::scf::ForOp>(loc, low, high, constant(step));
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  /// x - y z; the product is rounded with the difference where the target can.
  Parts minusProduct(const Parts &x, const Parts &y, const Parts &z);
  /// init - the sum of x[row, k] y[other, k], or conj(y) where `conjugates`.
  Parts minusRows(const Parts &init, const Matrix &x, mlir::Value row,
                  const Matrix &y, mlir::Value other, mlir::Value low,
                  mlir::Value high, bool conjugates);
  Parts conjugate(Parts z) {
    if (z.size() == 2)
      z[1] = -z[1];
    return z;
  }
  Parts quotient(const Parts &x, const Parts &y);

  KernelEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Operation *op;
  mlir::Location loc;
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_MATRIXEMITTER_H
