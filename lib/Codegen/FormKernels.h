// Steps of partopt-form-kernels, in the order in which they run.
#ifndef PARTOPT_LIB_CODEGEN_FORMKERNELS_H
#define PARTOPT_LIB_CODEGEN_FORMKERNELS_H

#include "KernelPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt::codegen {

/// Tensors without elements leave the computation: they become constants, and
/// what reads them is what it computes of nothing.
void removeEmpty(mlir::Block &block);
/// Fourier transforms become products of matrices.
void expandFourier(mlir::Block &block);
/// Decompositions and solvers of narrow floats compute in f32.
void widenTriangular(mlir::Block &block);
/// Large windows as work that is linear in the elements.
void simplifyWindows(mlir::Block &block);
/// Exact simplifications: factors of one, reductions over dimensions of size
/// one, movements that only rename dimensions.
void simplifyProgram(mlir::Block &block);
/// Products and convolutions of complex numbers become real ones.
void splitComplexProducts(mlir::Block &block);
/// Convolutions get the layout and the element type that their kernel is fast
/// in; those that are plain products become products.
void normaliseConvolutions(mlir::Block &block);
/// Every product of floats becomes one in BLAS form between reshapes and, where
/// the stored order allows no flag, transposes.
void normaliseDots(mlir::Block &block);
/// Scatters of zeros that are added become scatters into the other operand; in
/// loops also into what is carried. Rounds sums in another order.
void accumulateInPlace(mlir::Block &block);
/// Everything that is neither a product in BLAS form nor communication moves
/// into kernel functions. Fails with an error at an op without a kernel.
mlir::LogicalResult outlineKernels(mlir::func::FuncOp program,
                                   const KernelTarget &target);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_FORMKERNELS_H
