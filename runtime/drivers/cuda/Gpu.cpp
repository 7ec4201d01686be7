//===- Gpu.cpp - One GPU and what a session has on it ---------------------===//
//
// See Gpu.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Gpu.h"

namespace partopt::rt {

StatusOr<std::unique_ptr<Gpu>> Gpu::open(const CudaApi &api, int ordinal) {
  std::unique_ptr<Gpu> gpu(new Gpu(api, ordinal));
  Status status =
      api.status(api.cuDeviceGet(&gpu->device, ordinal), "cuDeviceGet");
  if (status.ok())
    status = gpu->readProperties();
  if (status.ok())
    status =
        api.status(api.cuDevicePrimaryCtxRetain(&gpu->context, gpu->device),
                   "cuDevicePrimaryCtxRetain");
  if (status.ok())
    status = gpu->makeCurrent();
  if (status.ok()) {
    StatusOr<CUstream> transfers = gpu->addStream(false);
    status = transfers.status();
    gpu->transfers = transfers.ok() ? *transfers : nullptr;
  }
  if (!status.ok())
    return Status::badInput("GPU " + std::to_string(ordinal) +
                            " cannot be opened: " + status.message());
  return gpu;
}

Gpu::~Gpu() {
  if (!context || !makeCurrent().ok())
    return;
  for (CUevent event : events)
    api.cuEventDestroy(event);
  for (CUstream stream : streams)
    api.cuStreamDestroy(stream);
  if (block)
    api.cuMemFree(block);
  api.cuDevicePrimaryCtxRelease(device);
}

Status Gpu::readProperties() {
  char text[256] = {};
  Status status = api.status(
      api.cuDeviceGetName(text, sizeof(text) - 1, device), "cuDeviceGetName");
  deviceName = text;
  int major = 0, minor = 0;
  if (status.ok())
    status = api.status(
        api.cuDeviceGetAttribute(
            &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
        "cuDeviceGetAttribute");
  if (status.ok())
    status = api.status(
        api.cuDeviceGetAttribute(
            &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
        "cuDeviceGetAttribute");
  computeCapability = 10 * major + minor;
  return status;
}

std::string Gpu::text() const {
  return "GPU " + std::to_string(ordinal) + " '" + deviceName + "' (" +
         (computeCapability ? "sm_" + std::to_string(computeCapability)
                            : "emulated") +
         ")";
}

Status Gpu::makeCurrent() const {
  if (isAbandoned)
    return Status::rankFailed(text() + " has failed before");
  return api.status(api.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

StatusOr<uint64_t> Gpu::freeBytes() const {
  size_t free = 0, total = 0;
  Status status = makeCurrent();
  if (status.ok())
    status = api.status(api.cuMemGetInfo(&free, &total), "cuMemGetInfo");
  if (!status.ok())
    return status;
  return uint64_t(free);
}

Status Gpu::allocate(uint64_t bytes, const std::string &use) {
  size_t free = 0, total = 0;
  Status status = api.status(api.cuMemGetInfo(&free, &total), "cuMemGetInfo");
  if (!status.ok())
    return status;
  CUresult result =
      bytes <= free ? api.cuMemAlloc(&block, bytes) : CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return Status::badInput(
        text() + " has " + std::to_string(free) + " bytes free of " +
        std::to_string(total) + ", the run needs " + std::to_string(bytes) +
        " in one piece (" + use + ")" +
        (bytes > free
             ? ", " + std::to_string(bytes - free) + " more than there are"
             : "") +
        ": end other processes on it, or compile with --device-memory "
        "SIZE, which says what would fit");
  status = api.status(result, "cuMemAlloc");
  if (!status.ok())
    return status;
  return transfer("cuMemsetD8Async", [&] {
    return api.cuMemsetD8Async(block, 0, bytes, transfers);
  });
}

/// Urgent streams are those of communication: what others wait for goes first.
StatusOr<CUstream> Gpu::addStream(bool isUrgent) {
  int least = 0, greatest = 0;
  Status status = api.status(api.cuCtxGetStreamPriorityRange(&least, &greatest),
                             "cuCtxGetStreamPriorityRange");
  CUstream stream = nullptr;
  if (status.ok())
    status = api.status(
        api.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
                                       isUrgent ? greatest : least),
        "cuStreamCreateWithPriority");
  if (!status.ok())
    return status;
  streams.push_back(stream);
  return stream;
}

StatusOr<CUevent> Gpu::addEvent(bool hasTime) {
  CUevent event = nullptr;
  Status status =
      api.status(api.cuEventCreate(&event, hasTime ? CU_EVENT_DEFAULT
                                                   : CU_EVENT_DISABLE_TIMING),
                 "cuEventCreate");
  if (!status.ok())
    return status;
  events.push_back(event);
  return event;
}

/// The calls that do not name a stream may return before the device has the
/// bytes, and order nothing on the streams of a step.
template <typename Enqueue>
Status Gpu::transfer(const char *call, Enqueue enqueue) const {
  Status status = makeCurrent();
  if (status.ok())
    status = api.status(enqueue(), call);
  return status.ok() ? api.status(api.cuStreamSynchronize(transfers),
                                  "cuStreamSynchronize")
                     : status;
}

Status Gpu::upload(void *target, const void *host, uint64_t bytes) {
  if (bytes == 0)
    return Status();
  return transfer("cuMemcpyHtoDAsync", [&] {
    return api.cuMemcpyHtoDAsync(devicePointer(target), host, bytes, transfers);
  });
}

Status Gpu::download(void *host, const void *source, uint64_t bytes) {
  if (bytes == 0)
    return Status();
  return transfer("cuMemcpyDtoHAsync", [&] {
    return api.cuMemcpyDtoHAsync(host, devicePointer(source), bytes, transfers);
  });
}

} // namespace partopt::rt
