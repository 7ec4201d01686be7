//===- Passes.td - passes from a local program to its kernels -------------===//
#ifndef PARTOPT_CODEGEN_PASSES_TD
#define PARTOPT_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernelsPass : Pass<"partopt-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn kernel functions on tensors into loops over buffers";
  let description = [{
    Every function with the unit attribute `partopt.kernel` becomes a function
    over memrefs: its inputs, then one caller-provided buffer per result. What
    is stored and which loops are shared is decided by the kernel's plan:
    elementwise chains have no buffer, reductions of rows share the loops over
    the rows, sums over trailing dimensions stay in registers, and small
    temporaries live on the stack.

    Requires: static ranked tensors; ops with a kernel rule. Guarantees: no
    allocation, every element of every result is written.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // PARTOPT_CODEGEN_PASSES_TD
