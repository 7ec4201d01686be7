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
class Module;
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

/// Loops, buffers and scalars to the LLVM dialect; functions take bare
/// pointers.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module);

/// The pipeline of O2 for `machine`; loops become vectors where `vectorises`.
void optimise(llvm::Module &module, llvm::TargetMachine &machine,
              bool vectorises);

/// The bytes of a relocatable object of `module`, which is optimised; reports
/// errors at `loc`.
mlir::FailureOr<std::string> emitHostObject(mlir::Location loc,
                                            llvm::Module &module,
                                            const HostTarget &target);

/// Optimises the module's LLVM form for `target` and returns the bytes of a
/// relocatable object; `llvmText`, when given, receives the optimised IR.
mlir::FailureOr<std::string> emitObject(mlir::ModuleOp module,
                                        const HostTarget &target,
                                        std::string *llvmText);

/// Links one object into a shared object and checks that it needs no symbol
/// beyond memcpy and friends and the libm functions that kernels may call.
/// Kernels of the emulated GPU may also need the emulator's entry.
mlir::FailureOr<std::string> linkSharedObject(mlir::Location loc,
                                              llvm::StringRef object,
                                              bool isEmulated = false);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_BACKEND_H
