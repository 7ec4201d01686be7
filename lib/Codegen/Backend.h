// The half of code generation below loops: MLIR's LLVM dialect, LLVM's
// optimiser, the object file and the linker.
#ifndef PARTOPT_LIB_CODEGEN_BACKEND_H
#define PARTOPT_LIB_CODEGEN_BACKEND_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace partopt::codegen {

/// What the code is generated for.
struct HostTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string triple, cpu;
  std::vector<std::string> features; ///< needed at run time, sorted
};

/// The host's triple with LLVM's CPU name `cpu` ("native": this machine).
/// Fails with a message for a name that LLVM does not know.
mlir::FailureOr<HostTarget> createHostTarget(mlir::Location loc,
                                             llvm::StringRef cpu);

/// Turns functions over memrefs (scf, memref, arith, math, vector inside) into
/// LLVM dialect, in place: each kernel function @kN becomes an internal
/// @kN_body with bare pointers, and an exported @kN(ptr args) that unpacks the
/// argument array.
mlir::LogicalResult lowerLoopsToLLVM(mlir::ModuleOp loops);

/// Optimises the module's LLVM form for `target` and returns the bytes of a
/// relocatable object; `llvmText`, when given, receives the optimised IR.
mlir::FailureOr<std::string> emitObject(mlir::ModuleOp module,
                                        const HostTarget &target,
                                        std::string *llvmText);

/// Links one object into a shared object and checks that it needs no symbol
/// beyond memcpy and friends and the libm functions that kernels may call.
mlir::FailureOr<std::string> linkSharedObject(mlir::Location loc,
                                              llvm::StringRef object);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_BACKEND_H
