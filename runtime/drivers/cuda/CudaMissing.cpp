//===- CudaMissing.cpp - A build without the CUDA driver ------------------===//
//
// Stands for the driver where CMake found no CUDA headers or was to leave it
// out.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/CudaDriver.h"

namespace partopt::rt {

Status checkCudaDriver() {
  return Status::badInput(
      "this partopt was built without the CUDA driver: PARTOPT_CUDA was off, "
      "or CMake found no cuda.h and cublasLt.h. Install the CUDA Toolkit, or "
      "the headers alone (pip install nvidia-cuda-runtime nvidia-cublas "
      "nvidia-nccl-cu13), configure again with CUDA_HOME or "
      "-DPARTOPT_CUDA_ROOT set, and build");
}

StatusOr<std::shared_ptr<Executor>>
openCudaExecutor(std::shared_ptr<const plan::PlanT> plan,
                 const SessionOptions &options) {
  return checkCudaDriver();
}

} // namespace partopt::rt
