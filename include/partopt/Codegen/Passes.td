//===- Passes.td - passes from a local program to its kernels -------------===//
#ifndef PARTOPT_CODEGEN_PASSES_TD
#define PARTOPT_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"partopt-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Move a local program's computation into kernels";
  let description = [{
    Afterwards a program holds calls of private functions with the attribute
    `partopt.kernel`, products (`stablehlo.dot_general`) in BLAS form, reshapes
    that are views, and communication; nothing else.

    Kernels: chains of pointwise ops go into their consumers, reductions take
    their producers and share loops over rows, ops over the same values share a
    kernel. Constants and cheap functions of them are computed where they are
    used; values that are cheap to compute from what a kernel reads anyway are
    computed again instead of kept in memory; reductions and products never are.
    Kernels with equal bodies are one function; pointwise ones have one
    dimension. The order of collectives is kept.

    Products of floats: batch, free and contracted dimensions are merged to one
    each; transposition is a matter of the dimension numbers; bf16 and f16 are
    computed in f32; a product whose only user transposes it is computed the
    other way round. Products without a contracted dimension, and those of
    integers, are kernels.

    Fourier transforms become products with matrices of roots of unity. A scatter
    of zeros that is added to a tensor becomes a scatter into it, and what writes
    a part of a large operand does not compute the operand itself, so that it may
    be written over.

    Requires: static shapes, one block, stablehlo, chlo and comm ops.
  }];
  let dependentDialects = [
    "::partopt::comm::CommDialect", "::partopt::stablehlo::StableHLODialect"
  ];
  let options = [
    Option<"isGpu", "gpu", "bool", "false",
           "Form kernels for a GPU: rows in the memory of a block">
  ];
  let statistics = [
    Statistic<"numCalls", "calls", "Calls of kernels">,
    Statistic<"numKernels", "kernels", "Different kernels">,
    Statistic<"numProducts", "products", "Products left to the BLAS">
  ];
}

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
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def MarkOverwritesPass
    : Pass<"partopt-mark-overwrites", "::mlir::ModuleOp"> {
  let summary = "Say which results of a kernel may be written over an input";
  let description = [{
    An argument of a kernel function gets `partopt.may_be_overwritten_by` with
    the numbers of the results of its type that may have its address: no element
    of the argument is read after that element of the result has been written.
    What writes a part of its operand (dynamic_update_slice, scatter) may write
    over the operand when nothing else of it is read at the same time or later.
    The planner uses it to update parameters in place and to save memory.

    ```mlir
    func.func private @k(%w: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32>
      attributes {partopt.kernel} { %0 = stablehlo.subtract %w, %g ... }
    // gets, on %w and on %g
    {partopt.may_be_overwritten_by = array<i64: 0>}
    ```

    Requires kernel functions whose ops have kernel rules.
  }];
  let options = [
    Option<"isGpu", "gpu", "bool", "false", "The kernels are for a GPU">
  ];
  let statistics = [Statistic<"marked", "marked", "Arguments marked">];
}

def VerifyKernelFormPass
    : Pass<"partopt-verify-kernel-form", "::mlir::ModuleOp"> {
  let summary = "Prove the exit contract of the kernels phase";
  let description = [{
    Functions that are no kernels hold calls of kernels, `stablehlo.dot_general`
    in BLAS form, `stablehlo.reshape`, comm ops and the return.
  }];
}

#endif // PARTOPT_CODEGEN_PASSES_TD
