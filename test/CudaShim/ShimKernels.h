//===- ShimKernels.h - Kernels that the stand-in can run ------------------===//
//
// TEST ONLY.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_CUDASHIM_SHIMKERNELS_H
#define PARTOPT_TEST_CUDASHIM_SHIMKERNELS_H

#include "Shim.h"

#include "runtime/drivers/cuda/ReductionPtx.h"
#include "runtime/drivers/cuda/emulator/EmulatedGpu.h"

#include <optional>

namespace partopt::shim {

/// A module: a shared object of the host, with kernels for the emulated device
/// (PartoptEmulatedGrid) or the host's own (`void k(void **args)`); or the
/// runtime's own PTX, of which the kernels' names are read.
struct Module {
  void *library = nullptr;
  std::string ptx;
};

struct Function {
  std::string symbol;
  void (*host)(void **args) = nullptr;
  const PartoptEmulatedGrid *grid = nullptr;
  std::optional<rt::Reduction> reduction;
};

/// Null where the image is neither.
Module *loadModule(const void *image);
/// Null where the module has no such kernel.
Function *findFunction(const Module &module, const std::string &symbol);

/// One launch of `blocks` blocks with its parameters, all of 64 bits.
Work launchWork(const Function &function, unsigned blocks,
                std::vector<uint64_t> parameters);

} // namespace partopt::shim

#endif // PARTOPT_TEST_CUDASHIM_SHIMKERNELS_H
