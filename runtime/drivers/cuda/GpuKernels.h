//===- GpuKernels.h - A class's kernels on a GPU --------------------------===//
//
// A plan carries its kernels as cubins for architectures, as PTX for those that
// come after, or both; the GPU gets the image that fits it best.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_GPUKERNELS_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_GPUKERNELS_H

#include "partopt/Plan/PlanFormat_generated.h"
#include "runtime/drivers/cuda/Gpu.h"

namespace partopt::rt {

/// The image for a GPU of this compute capability (90 for sm_90): a cubin of
/// its architecture or an earlier one of the same major number, or else the
/// newest PTX that is not newer than it. Null where there is none.
const plan::GpuImageT *chooseImage(const plan::KernelObjectT &object,
                                   int capability);

/// A loaded module.
class GpuModule {
public:
  /// `image` ends with a NUL where it is PTX.
  static StatusOr<std::unique_ptr<GpuModule>> load(const Gpu &gpu,
                                                   const void *image);
  ~GpuModule();
  StatusOr<CUfunction> function(const std::string &symbol) const;

private:
  explicit GpuModule(const Gpu &gpu) : gpu(gpu) {}

  const Gpu &gpu;
  CUmodule module = nullptr;
};

/// Puts one grid on a stream; its parameters are addresses, or whole numbers of
/// 64 bits.
Status launchGrid(const CudaApi &api, CUfunction function, const uint32_t *grid,
                  const uint32_t *block, uint32_t sharedBytes,
                  std::vector<CUdeviceptr> &parameters, CUstream stream);

class GpuKernels {
public:
  static StatusOr<std::unique_ptr<GpuKernels>>
  load(const Gpu &gpu, const plan::KernelObjectT &object);

  /// Puts the grids of kernel `kernel` on the stream. `scratch` has as many
  /// bytes as the kernel says.
  Status launch(uint32_t kernel, const std::vector<void *> &args, void *scratch,
                CUstream stream) const;

  /// That a launch needs at most.
  uint64_t scratchBytes() const;

private:
  GpuKernels(const Gpu &gpu, const plan::KernelObjectT &object)
      : gpu(gpu), object(object) {}
  Status resolve();

  const Gpu &gpu;
  const plan::KernelObjectT &object;
  std::unique_ptr<GpuModule> module;
  std::vector<std::vector<CUfunction>> functions; ///< by kernel and launch
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_GPUKERNELS_H
