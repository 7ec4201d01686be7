// A buffer's elements along one dimension, for ops that walk over them to and
// fro.
#ifndef PARTOPT_LIB_CODEGEN_BUFFERLINE_H
#define PARTOPT_LIB_CODEGEN_BUFFERLINE_H

#include "EmitKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace partopt::codegen {

/// The elements of a buffer along one dimension, in storage form.
struct Line {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value, 6> at; ///< the entry at `dim` is replaced
  int64_t dim = 0;

  mlir::Value load(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::Value i) const {
    llvm::SmallVector<mlir::Value, 6> place(at);
    place[dim] = i;
    return b.create<mlir::memref::LoadOp>(loc, memref, place);
  }
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
             mlir::Value i) const {
    llvm::SmallVector<mlir::Value, 6> place(at);
    place[dim] = i;
    b.create<mlir::memref::StoreOp>(loc, value, memref, place);
  }
};
using Lines = llvm::SmallVector<Line, 2>;

/// The line along `dim` of `buffer` at the coordinates `at`.
inline Line lineOf(ElementScope &scope, const Buffer &buffer,
                   llvm::ArrayRef<Index> at, int64_t dim) {
  Line line{buffer.memref, {}, dim};
  for (const Index &index : at)
    line.at.push_back(scope.materialize(index));
  return line;
}

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_BUFFERLINE_H
