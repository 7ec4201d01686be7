// The half of code generation for GPUs below LLVM's IR: PTX, cubins, and the
// same code for the emulated device.
#ifndef PARTOPT_LIB_CODEGEN_GPUBACKEND_H
#define PARTOPT_LIB_CODEGEN_GPUBACKEND_H

#include "Backend.h"
#include "LowerGpu.h"
#include "partopt/Codegen/Codegen.h"

#include <memory>
#include <optional>

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace partopt::codegen {

/// What the emulated device's object leaves undefined: runs a kernel.
inline constexpr llvm::StringLiteral kEmulatorSymbol = "partopt_emulate_kernel";

/// The module in LLVM's IR, kernels with their attributes, not optimised.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
translateGrids(mlir::ModuleOp module, llvm::LLVMContext &context);

/// PTX of `code` (which is optimised for it) for `compute` ("sm_80", "sm_90").
mlir::FailureOr<std::string> emitPtx(mlir::Location loc, llvm::Module &code,
                                     llvm::StringRef compute);

/// The program `ptxas`: $PARTOPT_PTXAS (none where that is empty), in the PATH,
/// or of /usr/local/cuda.
std::optional<std::string> findPtxas();
/// The cubin for `arch` ("sm_100") of `ptx`.
mlir::FailureOr<std::string> assemblePtx(mlir::Location loc,
                                         llvm::StringRef ptxas,
                                         llvm::StringRef ptx,
                                         llvm::StringRef arch);

/// The grids of `code` as functions of the host for the emulator
/// (runtime/drivers/cuda/emulator/EmulatedGpu.h), and a function
/// `void <program>(void **args)` for every program, in place.
void emulateGrids(llvm::Module &code, llvm::ArrayRef<GpuProgram> programs);

/// compileKernels for the GPUs that `options` names.
mlir::FailureOr<KernelObject> compileGpuKernels(mlir::ModuleOp module,
                                                const CodegenOptions &options);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_GPUBACKEND_H
