//===- CudaApi.cpp - The CUDA driver's functions --------------------------===//
//
// See CudaApi.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/CudaApi.h"

#include "runtime/drivers/cuda/LoadedLibrary.h"

namespace partopt::rt {

std::string cudaVersionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

StatusOr<CudaApi> CudaApi::load() {
  StatusOr<LoadedLibrary> library = LoadedLibrary::open(
      {"the GPU's driver", "PARTOPT_LIBCUDA", "libcuda.so.1",
       "run on a machine with an NVIDIA GPU and its driver"});
  if (!library.ok())
    return library.status();
  CudaApi api;
// The header's macros give the symbol its version before it is made a string.
#define PARTOPT_TEXT(name) #name
#define PARTOPT_FIND(name)                                                     \
  if (!library->find(PARTOPT_TEXT(name), api.name))                            \
    return Status::badInput(                                                   \
        library->path() +                                                      \
        " has no " PARTOPT_TEXT(                                               \
            name) ": this partopt needs the driver of CUDA " +                 \
        cudaVersionText(CUDA_VERSION) + " or newer");
  PARTOPT_CUDA_FUNCTIONS(PARTOPT_FIND)
#undef PARTOPT_FIND
#undef PARTOPT_TEXT
  return api;
}

Status CudaApi::initialise() {
  Status status = this->status(cuInit(0), "cuInit");
  if (status.ok())
    status =
        this->status(cuDriverGetVersion(&driverVersion), "cuDriverGetVersion");
  int devices = 0;
  if (status.ok())
    status = this->status(cuDeviceGetCount(&devices), "cuDeviceGetCount");
  if (!status.ok())
    return Status::badInput(
        "the GPU's driver does not start: " + status.message() +
        "; see whether nvidia-smi lists a GPU");
  if (devices == 0)
    return Status::badInput("the driver shows no GPU; see nvidia-smi and "
                            "CUDA_VISIBLE_DEVICES");
  // Within a major version older drivers run what newer toolkits make.
  if (driverVersion / 1000 < CUDA_VERSION / 1000)
    return Status::badInput(
        "the GPU's driver is for CUDA " + cudaVersionText(driverVersion) +
        ", this partopt was built with CUDA " + cudaVersionText(CUDA_VERSION) +
        ": install a newer driver, or build with an older "
        "toolkit");
  return Status();
}

StatusOr<const CudaApi *> CudaApi::get() {
  static StatusOr<CudaApi> api = load();
  if (!api.ok())
    return api.status();
  if (Status status = api->initialise(); !status.ok())
    return status;
  return static_cast<const CudaApi *>(&*api);
}

Status CudaApi::status(CUresult result, const char *call) const {
  if (result == CUDA_SUCCESS)
    return Status();
  const char *name = nullptr, *meaning = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &meaning);
  std::string text = name ? name : "error " + std::to_string(result);
  return Status::rankFailed(std::string(call) + ": " + text +
                            (meaning ? " (" + std::string(meaning) + ")" : ""));
}

} // namespace partopt::rt
