//===- CudaApi.h - The CUDA driver's functions ----------------------------===//
//
// Types come from the toolkit's header, so that the compiler checks every call
// against the vendor's declaration, and so do the versions of the symbols: the
// header renames functions by macros (cuMemAlloc is cuMemAlloc_v2).
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAAPI_H

#include "partopt-rt/Status.h"

#include <cuda.h>

/// All functions that are called.
#define PARTOPT_CUDA_FUNCTIONS(X)                                              \
  X(cuInit)                                                                    \
  X(cuDriverGetVersion)                                                        \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxSetCurrent)                                                           \
  X(cuCtxGetStreamPriorityRange)                                               \
  X(cuMemGetInfo)                                                              \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemcpyHtoDAsync)                                                         \
  X(cuMemcpyDtoHAsync)                                                         \
  X(cuMemsetD8Async)                                                           \
  X(cuMemcpyDtoDAsync)                                                         \
  X(cuMemsetD32Async)                                                          \
  X(cuMemsetD2D8Async)                                                         \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleUnload)                                                            \
  X(cuModuleGetFunction)                                                       \
  X(cuFuncSetAttribute)                                                        \
  X(cuLaunchKernel)                                                            \
  X(cuStreamCreateWithPriority)                                                \
  X(cuStreamDestroy)                                                           \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamWaitEvent)                                                         \
  X(cuStreamBeginCapture)                                                      \
  X(cuStreamEndCapture)                                                        \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy)                                                            \
  X(cuEventRecord)                                                             \
  X(cuEventQuery)                                                              \
  X(cuEventElapsedTime)                                                        \
  X(cuGraphInstantiateWithFlags)                                               \
  X(cuGraphLaunch)                                                             \
  X(cuGraphExecDestroy)                                                        \
  X(cuGraphDestroy)

namespace partopt::rt {

/// "13.0" of 13000, as drivers and toolkits count.
std::string cudaVersionText(int version);

class CudaApi {
public:
  /// Loads libcuda once per process and initialises it. Fails without a driver
  /// or a GPU, or with a driver that is older than what this was built for.
  static StatusOr<const CudaApi *> get();

  /// Ok, or "CALL: CUDA_ERROR_… (what that means)" with code RankFailed.
  Status status(CUresult result, const char *call) const;

  /// What the driver supports, e.g. 13000.
  int version() const { return driverVersion; }

#define PARTOPT_DECLARE(name) decltype (&::name)(name) = nullptr;
  PARTOPT_CUDA_FUNCTIONS(PARTOPT_DECLARE)
#undef PARTOPT_DECLARE

private:
  static StatusOr<CudaApi> load();
  Status initialise();

  int driverVersion = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
