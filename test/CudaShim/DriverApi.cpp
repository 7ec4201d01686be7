//===- DriverApi.cpp - libcuda's functions --------------------------------===//
//
// TEST ONLY. Devices, memory, modules, streams, events and graphs by the names
// that the toolkit's header declares.
//
//===----------------------------------------------------------------------===//

#include "ShimKernels.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace partopt::shim;

/// Counts the call, and returns early with the failure that a test wants.
#define CALL(name)                                                             \
  Shim &shim = Shim::get();                                                    \
  (void)shim;                                                                  \
  if (int code = shim.called(#name))                                           \
  return static_cast<CUresult>(code)

static Stream &streamOf(CUstream stream) {
  return *reinterpret_cast<Stream *>(stream);
}
static Event &eventOf(CUevent event) {
  return *reinterpret_cast<Event *>(event);
}

/// Work belongs to the device whose context is current.
static bool isCurrent(CUstream stream) {
  return stream && streamOf(stream).device == Shim::get().current;
}

static CUresult enqueue(CUstream stream, Work work) {
  if (!isCurrent(stream))
    return CUDA_ERROR_INVALID_CONTEXT;
  return Shim::get().enqueue({&streamOf(stream)}, std::move(work));
}

extern "C" {

// ---- devices ---------------------------------------------------------------

CUresult CUDAAPI cuInit(unsigned) {
  Shim::get().reset();
  CALL(cuInit);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDriverGetVersion(int *version) {
  CALL(cuDriverGetVersion);
  *version = shim.version;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_LAUNCH_FAILED   ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == CUDA_ERROR_ASSERT          ? "CUDA_ERROR_ASSERT"
          : error == CUDA_ERROR_NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
          : error == CUDA_ERROR_INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
                                                : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ASSERT ? "the test's shim found a race"
                                     : "a failure of the test's shim";
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetCount(int *count) {
  CALL(cuDeviceGetCount);
  *count = shim.devices;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  CALL(cuDeviceGet);
  *device = ordinal;
  return ordinal < shim.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice) {
  CALL(cuDeviceGetName);
  std::snprintf(name, static_cast<size_t>(length), "test shim, no GPU");
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                      CUdevice) {
  CALL(cuDeviceGetAttribute);
  bool isMajor = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
  *value = isMajor ? shim.capability / 10 : shim.capability % 10;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  CALL(cuDevicePrimaryCtxRetain);
  *context = reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) {
  CALL(cuDevicePrimaryCtxRelease);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  CALL(cuCtxSetCurrent);
  shim.current = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CALL(cuCtxGetStreamPriorityRange);
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

// ---- memory ----------------------------------------------------------------

CUresult CUDAAPI cuMemGetInfo(size_t *free, size_t *total) {
  CALL(cuMemGetInfo);
  *total = shim.memory;
  *free = shim.memory - std::min(shim.memory, shim.used[shim.current]);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  CALL(cuMemAlloc);
  if (shim.used[shim.current] + bytes > shim.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  shim.used[shim.current] += bytes;
  // Garbage, as a device's memory has it.
  void *block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(block, 0xa5, bytes);
  *address = reinterpret_cast<CUdeviceptr>(block);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  CALL(cuMemFree);
  shim.synchronize({});
  shim.used.clear(); // a session has one block
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}
static Work copyWork(const char *name, uint64_t target, uint64_t source,
                     size_t bytes) {
  Work work;
  work.name = name;
  work.run = [=] {
    std::memmove(reinterpret_cast<void *>(target),
                 reinterpret_cast<const void *>(source), bytes);
  };
  return work;
}
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source,
                                   size_t bytes, CUstream stream) {
  CALL(cuMemcpyDtoDAsync);
  Work work = copyWork("copy", target, source, bytes);
  work.accesses = {{source, bytes, false}, {target, bytes, true}};
  return enqueue(stream, std::move(work));
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr target, const void *source,
                                   size_t bytes, CUstream stream) {
  CALL(cuMemcpyHtoDAsync);
  Work work =
      copyWork("upload", target, reinterpret_cast<uint64_t>(source), bytes);
  work.accesses = {{target, bytes, true}};
  return enqueue(stream, std::move(work));
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *target, CUdeviceptr source,
                                   size_t bytes, CUstream stream) {
  CALL(cuMemcpyDtoHAsync);
  Work work =
      copyWork("download", reinterpret_cast<uint64_t>(target), source, bytes);
  work.accesses = {{source, bytes, false}};
  return enqueue(stream, std::move(work));
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr target, unsigned char value,
                                 size_t bytes, CUstream stream) {
  CALL(cuMemsetD8Async);
  return enqueue(stream, {"fill", {{target, bytes, true}}, [=] {
                            std::memset(reinterpret_cast<void *>(target), value,
                                        bytes);
                          }});
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr target, unsigned value,
                                  size_t count, CUstream stream) {
  CALL(cuMemsetD32Async);
  return enqueue(stream,
                 {"write", {{target, 4 * count, true}}, [=] {
                    for (size_t i = 0; i < count; ++i)
                      std::memcpy(reinterpret_cast<void *>(target + 4 * i),
                                  &value, sizeof(value));
                  }});
}
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr target, size_t pitch,
                                   unsigned char value, size_t width,
                                   size_t height, CUstream stream) {
  CALL(cuMemsetD2D8Async);
  Work work{"clear", {}, [=] {
              for (size_t row = 0; row < height; ++row)
                std::memset(reinterpret_cast<void *>(target + row * pitch),
                            value, width);
            }};
  for (size_t row = 0; row < height; ++row)
    work.accesses.push_back({target + row * pitch, width, true});
  return enqueue(stream, std::move(work));
}

// ---- kernels ---------------------------------------------------------------

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image,
                                    unsigned, CUjit_option *, void **) {
  CALL(cuModuleLoadDataEx);
  *module = reinterpret_cast<CUmodule>(loadModule(image));
  return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
CUresult CUDAAPI cuModuleUnload(CUmodule) {
  CALL(cuModuleUnload);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module,
                                     const char *name) {
  CALL(cuModuleGetFunction);
  *function = reinterpret_cast<CUfunction>(
      findFunction(*reinterpret_cast<Module *>(module), name));
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  CALL(cuFuncSetAttribute);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned gridX,
                                unsigned gridY, unsigned gridZ, unsigned blockX,
                                unsigned blockY, unsigned blockZ, unsigned,
                                CUstream stream, void **, void **extra) {
  CALL(cuLaunchKernel);
  for (unsigned extent : {gridX, gridY, gridZ, blockX, blockY, blockZ})
    if (extent == 0)
      return CUDA_ERROR_INVALID_VALUE;
  const auto *words = static_cast<const uint64_t *>(extra[1]);
  size_t bytes = *static_cast<size_t *>(extra[3]);
  return enqueue(stream,
                 launchWork(*reinterpret_cast<Function *>(function), gridX,
                            {words, words + bytes / sizeof(uint64_t)}));
}

// ---- streams and events ----------------------------------------------------

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned, int) {
  CALL(cuStreamCreateWithPriority);
  auto *made = new Stream();
  made->device = shim.current;
  made->lane = shim.addLane();
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  CALL(cuStreamDestroy);
  shim.synchronize({});
  delete &streamOf(stream);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  CALL(cuStreamSynchronize);
  return shim.synchronize(streamOf(stream).clock);
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Shim &shim = Shim::get();
  int code = shim.called("cuStreamWaitEvent");
  if (code == Shim::forget)
    return CUDA_SUCCESS;
  if (code)
    return static_cast<CUresult>(code);
  return shim.wait(streamOf(stream), eventOf(event));
}
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned flags) {
  CALL(cuEventCreate);
  auto *made = new Event();
  made->device = shim.current;
  made->hasTime = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = reinterpret_cast<CUevent>(made);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent event) {
  CALL(cuEventDestroy);
  delete &eventOf(event);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  CALL(cuEventRecord);
  if (!isCurrent(stream) || eventOf(event).device != shim.current)
    return CUDA_ERROR_INVALID_HANDLE;
  return shim.record(eventOf(event), streamOf(stream));
}
CUresult CUDAAPI cuEventQuery(CUevent event) {
  CALL(cuEventQuery);
  if (eventOf(event).capture)
    return CUDA_ERROR_CAPTURED_EVENT;
  if (shim.busy > 0) {
    --shim.busy;
    return CUDA_ERROR_NOT_READY;
  }
  return shim.synchronize(eventOf(event).clock);
}
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent from,
                                    CUevent to) {
  CALL(cuEventElapsedTime);
  if (!eventOf(from).hasTime || !eventOf(to).hasTime ||
      eventOf(from).device != eventOf(to).device)
    return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds =
      1e-3f * static_cast<float>(eventOf(to).when - eventOf(from).when);
  return CUDA_SUCCESS;
}

// ---- graphs ----------------------------------------------------------------

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  CALL(cuStreamBeginCapture);
  return shim.beginCapture(streamOf(stream));
}
CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CALL(cuStreamEndCapture);
  Graph *made = nullptr;
  CUresult result = shim.endCapture(streamOf(stream), made);
  *graph = reinterpret_cast<CUgraph>(made);
  return result;
}
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                             unsigned long long) {
  CALL(cuGraphInstantiateWithFlags);
  *exec = reinterpret_cast<CUgraphExec>(
      new Graph(*reinterpret_cast<Graph *>(graph)));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  CALL(cuGraphLaunch);
  if (!isCurrent(stream))
    return CUDA_ERROR_INVALID_CONTEXT;
  return shim.launch(*reinterpret_cast<Graph *>(exec), streamOf(stream));
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec) {
  CALL(cuGraphExecDestroy);
  delete reinterpret_cast<Graph *>(exec);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  CALL(cuGraphDestroy);
  delete reinterpret_cast<Graph *>(graph);
  return CUDA_SUCCESS;
}
}
