// Kernels of a program to one loadable object: the public face of code
// generation. Everything here is host code; the executor needs none of it.
#ifndef PARTOPT_CODEGEN_CODEGEN_H
#define PARTOPT_CODEGEN_CODEGEN_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace partopt {

/// Version of the calling convention of kernels: `void kernel(void **args)`,
/// args = inputs then outputs, row-major contiguous buffers at multiples of 64
/// bytes, i1 as one byte (0 or 1). A kernel never allocates, never reads an
/// output's old contents and writes every element of its outputs.
inline constexpr uint32_t kKernelAbiVersion = 1;

struct CodegenOptions {
  /// LLVM's name of the target CPU; "native" stands for the machine that
  /// compiles, with all its features.
  std::string cpu = "x86-64-v3";
  /// Folder that receives kernels.mlir, kernels.loops.mlir, kernels.ll,
  /// kernels.o and kernels.so (for GPUs PTX and cubins); empty for none.
  std::string keepDir;
  /// Architectures of GPUs ("sm_90") for which there are kernels; kEmulatedGpu
  /// alone: for the emulator of the tests. Empty: kernels are for the host.
  std::vector<std::string> gpuArchs;
};
inline constexpr const char *kEmulatedGpu = "emulated";

/// One form of a module of GPU kernels, as in the plan file.
struct GpuImage {
  enum class Kind { Ptx, Cubin, Host };
  Kind kind = Kind::Ptx;
  std::string arch; ///< "compute_80", "sm_90"
  std::string bytes;
};

struct GpuLaunch {
  std::string symbol;
  uint32_t grid = 1, block = 1; ///< in x
};

struct GpuKernel {
  std::vector<GpuLaunch> launches;
  uint64_t scratchBytes = 0;
};

struct KernelObject {
  std::string image;  ///< an ELF shared object, position independent
  std::string triple; ///< e.g. x86_64-pc-linux-gnu
  std::string cpu;    ///< LLVM's name, "native" resolved
  /// Features (names of LLVM, which are also those of __builtin_cpu_supports
  /// where it knows them) that a machine must have to run the image.
  std::vector<std::string> features;
  uint32_t abiVersion = kKernelAbiVersion;
  /// Exported symbols, in the order of the kernel functions in the module.
  std::vector<std::string> symbols;
  /// Of kernels for GPUs: `image` is empty then. One kernel per symbol.
  std::vector<GpuImage> gpuImages;
  std::vector<GpuKernel> gpuKernels;
};

/// Compiles every function of `module` with the unit attribute
/// `partopt.kernel` (static ranked tensors in and out, stablehlo and chlo ops
/// inside). The module is not changed. Errors are reported at the op that has
/// no kernel form, or at the module for failures of the linker.
mlir::FailureOr<KernelObject> compileKernels(mlir::ModuleOp module,
                                             const CodegenOptions &options);

/// True when kernels can be made of the op of that name ("stablehlo.add"), or
/// the BLAS computes it.
bool hasKernel(llvm::StringRef opName);

/// Dialects and translations that compileKernels needs in its context.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace partopt

#endif // PARTOPT_CODEGEN_CODEGEN_H
