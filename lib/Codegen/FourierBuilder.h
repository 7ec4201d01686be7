// Discrete Fourier transforms along one dimension, as products with matrices.
//
// Complex numbers are two planes, real and imaginary parts, of one tensor of
// reals, so that a complex product is one real product of twice the size.
#ifndef PARTOPT_LIB_CODEGEN_FOURIERBUILDER_H
#define PARTOPT_LIB_CODEGEN_FOURIERBUILDER_H

#include "FourierTables.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partopt::codegen {

/// True for lengths that are best transformed by one product.
bool isOneProduct(int64_t n);

/// The matrix of a transform of n elements in `from` planes to `planes` planes
/// of the first `to` elements: rows in, columns out.
llvm::SmallVector<double> rootMatrix(int64_t from, int64_t n, int64_t to,
                                     int64_t planes, Way way);

/// Transforms along one dimension.
class FourierBuilder {
public:
  /// A complex tensor; `im` is null where it is real.
  struct Parts {
    mlir::Value re, im;
  };

  /// Builds before `op`, which transforms or gives reals of type `real`.
  FourierBuilder(mlir::Operation *op, mlir::Type real)
      : b(op), loc(op->getLoc()), real(real) {}

  /// The transform along dimension 1 of `x`, [planes, n, columns].
  mlir::Value transform(mlir::Value x, Way way, int64_t planes);
  /// The product of `x`, [rows, planes, m], with a matrix from m to n.
  mlir::Value rowProduct(mlir::Value x, llvm::ArrayRef<double> matrix,
                         int64_t planes, int64_t n);
  mlir::Value product(mlir::Value x, Way way, int64_t planes);

  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> order);
  mlir::Value slice(mlir::Value x, int64_t dim, int64_t low, int64_t high);
  mlir::Value concatenate(mlir::ValueRange values, int64_t dim);
  /// `x` with zeros around it along one dimension.
  mlir::Value pad(mlir::Value x, int64_t dim, int64_t low, int64_t high);
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape);
  Parts split(mlir::Value x, int64_t dim);
  mlir::Value join(Parts parts, int64_t dim);

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type real;

private:
  mlir::Value constant(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values);
  mlir::RankedTensorType typeOf(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, real);
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return b.create<Op>(loc, x.getType(), x, y);
  }
  Parts multiplied(Parts x, const Complexes &table,
                   llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  mlir::Value twiddled(mlir::Value x, Way way);
  mlir::Value convolved(mlir::Value x, Way way, int64_t planes);
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_FOURIERBUILDER_H
