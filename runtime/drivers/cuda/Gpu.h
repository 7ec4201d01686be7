//===- Gpu.h - One GPU and what a session has on it -----------------------===//
//
// The primary context, one allocation, streams and events. A session's calls
// come from whichever thread calls it, so each of them makes the context
// current.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_GPU_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_GPU_H

#include "runtime/drivers/cuda/CudaApi.h"
#include "runtime/hal/Driver.h"

namespace partopt::rt {

class Gpu : public DeviceMemory {
public:
  static StatusOr<std::unique_ptr<Gpu>> open(const CudaApi &api, int ordinal);
  ~Gpu() override;

  const CudaApi &api;
  const int ordinal;

  const std::string &name() const { return deviceName; }
  /// 90 for sm_90; 0 for the tests' emulated device.
  int capability() const { return computeCapability; }
  /// "GPU 0 'NVIDIA H200' (sm_90)"
  std::string text() const;

  /// Fails once the GPU was abandoned.
  Status makeCurrent() const;
  /// After a failure: frees nothing any more, since that would wait for work
  /// that may never end. The process is about to leave.
  void abandon() { isAbandoned = true; }

  /// Bytes that nobody uses.
  StatusOr<uint64_t> freeBytes() const;
  /// Allocates the one block of memory, zeroed. Fails with what is short: `use`
  /// says what the bytes are for.
  Status allocate(uint64_t bytes, const std::string &use);
  uint8_t *memory() const { return reinterpret_cast<uint8_t *>(block); }

  /// Streams and events live as long as the GPU.
  StatusOr<CUstream> addStream(bool isUrgent);
  StatusOr<CUevent> addEvent(bool hasTime);

  Status upload(void *target, const void *host, uint64_t bytes) override;
  Status download(void *host, const void *source, uint64_t bytes) override;

private:
  Gpu(const CudaApi &api, int ordinal) : api(api), ordinal(ordinal) {}
  Status readProperties();
  /// Puts something on the stream of transfers and waits for it.
  template <typename Enqueue>
  Status transfer(const char *call, Enqueue enqueue) const;

  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string deviceName;
  int computeCapability = 0;
  bool isAbandoned = false;
  CUdeviceptr block = 0;
  CUstream transfers = nullptr; ///< between host and device, between steps
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
};

inline CUdeviceptr devicePointer(const void *address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_GPU_H
