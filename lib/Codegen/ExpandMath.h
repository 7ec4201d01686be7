// Transcendental functions as straight-line arithmetic that LLVM's loop
// vectoriser can widen.
#ifndef PARTOPT_LIB_CODEGEN_EXPANDMATH_H
#define PARTOPT_LIB_CODEGEN_EXPANDMATH_H

namespace mlir {
class Operation;
} // namespace mlir

namespace partopt::codegen {

/// Replaces exp, expm1, log, log1p and tanh on f32 inside `root` by
/// polynomials (at most 2 ulp from the exact value over the whole range, with
/// libm's results for NaN, infinities, zeros and denormals). Other functions
/// and f64 stay calls of libm.
void expandMath(mlir::Operation *root);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_EXPANDMATH_H
