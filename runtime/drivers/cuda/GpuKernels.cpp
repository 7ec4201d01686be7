//===- GpuKernels.cpp - A class's kernels on a GPU ------------------------===//
//
// See GpuKernels.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/GpuKernels.h"

#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <cstdlib>

namespace partopt::rt {

namespace {

/// "sm_90a": the number, and whether other architectures cannot run it.
struct Architecture {
  explicit Architecture(const std::string &text) {
    size_t digits = text.find_first_of("0123456789");
    if (digits == std::string::npos)
      return;
    number = std::atoi(text.c_str() + digits);
    isExact = !text.empty() && (text.back() < '0' || text.back() > '9');
  }
  bool runsOn(int capability, plan::GpuImageKind kind) const {
    if (number == 0 || isExact)
      return number != 0 && number == capability;
    return kind == plan::GpuImageKind::Cubin
               ? number / 10 == capability / 10 && number <= capability
               : number <= capability;
  }

  int number = 0;
  bool isExact = false;
};

/// "sm_80 (cubin), compute_90 (PTX)"
std::string imagesText(const plan::KernelObjectT &object) {
  std::string text;
  for (const auto &image : object.gpu_images)
    text += (text.empty() ? "" : ", ") + image->arch +
            (image->kind == plan::GpuImageKind::Cubin ? " (cubin)"
             : image->kind == plan::GpuImageKind::Ptx ? " (PTX)"
                                                      : " (emulated)");
  return text;
}

} // namespace

const plan::GpuImageT *chooseImage(const plan::KernelObjectT &object,
                                   int capability) {
  const plan::GpuImageT *best = nullptr;
  auto rank = [](const plan::GpuImageT &image) {
    return std::make_pair(image.kind == plan::GpuImageKind::Cubin,
                          Architecture(image.arch).number);
  };
  for (const auto &image : object.gpu_images) {
    bool fits = image->kind == plan::GpuImageKind::Host
                    ? capability == 0
                    : Architecture(image->arch).runsOn(capability, image->kind);
    if (fits && (!best || rank(*best) < rank(*image)))
      best = image.get();
  }
  return best;
}

StatusOr<std::unique_ptr<GpuModule>> GpuModule::load(const Gpu &gpu,
                                                     const void *image) {
  std::unique_ptr<GpuModule> loaded(new GpuModule(gpu));
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  CUresult result =
      gpu.api.cuModuleLoadDataEx(&loaded->module, image, 2, options, values);
  if (result == CUDA_SUCCESS)
    return loaded;
  loaded->module = nullptr;
  Status status = gpu.api.status(result, "cuModuleLoadDataEx");
  return Status::badInput(gpu.text() + " does not take the kernels: " +
                          status.message() + (log[0] ? ": " : "") + log);
}

GpuModule::~GpuModule() {
  if (module && gpu.makeCurrent().ok())
    gpu.api.cuModuleUnload(module);
}

StatusOr<CUfunction> GpuModule::function(const std::string &symbol) const {
  CUfunction function = nullptr;
  Status status = gpu.api.status(
      gpu.api.cuModuleGetFunction(&function, module, symbol.c_str()),
      "cuModuleGetFunction");
  if (!status.ok())
    return Status::badInput("the kernels have no '" + symbol +
                            "': " + status.message());
  return function;
}

Status launchGrid(const CudaApi &api, CUfunction function, const uint32_t *grid,
                  const uint32_t *block, uint32_t sharedBytes,
                  std::vector<CUdeviceptr> &parameters, CUstream stream) {
  // One buffer with all parameters: they need no layout but their order.
  size_t bytes = parameters.size() * sizeof(CUdeviceptr);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  return api.status(api.cuLaunchKernel(function, grid[0], grid[1], grid[2],
                                       block[0], block[1], block[2],
                                       sharedBytes, stream, nullptr, extra),
                    "cuLaunchKernel");
}

StatusOr<std::unique_ptr<GpuKernels>>
GpuKernels::load(const Gpu &gpu, const plan::KernelObjectT &object) {
  std::unique_ptr<GpuKernels> kernels(new GpuKernels(gpu, object));
  if (object.symbols.empty())
    return kernels;
  if (object.gpu_images.empty())
    return Status::badInput("the plan's kernels are for the host (" +
                            object.triple +
                            "), not for a GPU: compile the model with "
                            "--driver cuda");
  const plan::GpuImageT *image = chooseImage(object, gpu.capability());
  if (!image)
    return Status::badInput("the plan's kernels are for " + imagesText(object) +
                            ", but this is " + gpu.text() +
                            ": compile the model with --gpu-arch sm_" +
                            std::to_string(gpu.capability()));
  if (plan::hashBytes(image->image.data(), image->image.size()) != image->hash)
    return Status::badInput("the GPU kernels for " + image->arch +
                            " were altered after they were compiled: their "
                            "content does not match their hash");
  StatusOr<std::unique_ptr<GpuModule>> module =
      GpuModule::load(gpu, image->image.data());
  if (!module.ok())
    return module.status();
  kernels->module = std::move(*module);
  if (Status status = kernels->resolve(); !status.ok())
    return status;
  return kernels;
}

Status GpuKernels::resolve() {
  constexpr uint32_t freeSharedBytes = 48 << 10; // above it has to be asked for
  for (const auto &kernel : object.gpu_kernels) {
    std::vector<CUfunction> &list = functions.emplace_back();
    for (const auto &grid : kernel->launches) {
      StatusOr<CUfunction> function = module->function(grid->symbol);
      if (!function.ok())
        return function.status();
      list.push_back(*function);
      if (grid->shared_bytes <= freeSharedBytes)
        continue;
      Status status = gpu.api.status(
          gpu.api.cuFuncSetAttribute(
              *function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              static_cast<int>(grid->shared_bytes)),
          "cuFuncSetAttribute");
      if (!status.ok())
        return Status::badInput("kernel '" + grid->symbol + "' needs " +
                                std::to_string(grid->shared_bytes) +
                                " bytes of shared memory: " + status.message());
    }
  }
  return Status();
}

Status GpuKernels::launch(uint32_t kernel, const std::vector<void *> &args,
                          void *scratch, CUstream stream) const {
  std::vector<CUdeviceptr> parameters;
  for (const void *arg : args)
    parameters.push_back(devicePointer(arg));
  const plan::GpuKernelT &grids = *object.gpu_kernels[kernel];
  if (grids.scratch_bytes > 0)
    parameters.push_back(devicePointer(scratch));
  for (size_t i = 0; i < grids.launches.size(); ++i) {
    const plan::GpuLaunchT &grid = *grids.launches[i];
    Status status =
        launchGrid(gpu.api, functions[kernel][i], grid.grid.data(),
                   grid.block.data(), grid.shared_bytes, parameters, stream);
    if (!status.ok())
      return status;
  }
  return Status();
}

uint64_t GpuKernels::scratchBytes() const {
  uint64_t most = 0;
  for (const auto &kernel : object.gpu_kernels)
    most = std::max<uint64_t>(most, kernel->scratch_bytes);
  return most;
}

} // namespace partopt::rt
