//===- HostDriver.cpp - Ranks as threads of this process ------------------===//
//
// See HostDriver.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/HostDriver.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/drivers/host/Blas.h"
#include "runtime/drivers/host/KernelObject.h"

#include <cstring>

namespace partopt::rt {

namespace {

/// Every rank has a queue for every other one.
constexpr uint32_t maxRanks = 1024;

class HostDevice : public Device {
public:
  StatusOr<uint8_t *> allocate(uint64_t bytes) override {
    StatusOr<AlignedBuffer> buffer = AlignedBuffer::allocate(bytes);
    if (!buffer.ok())
      return buffer.status();
    allocated += bytes;
    buffers.push_back(std::move(*buffer));
    return buffers.back().data();
  }

  uint64_t allocatedBytes() const override { return allocated; }

  Status launch(const KernelLibrary &kernels, uint32_t kernel,
                void **args) override {
    static_cast<const HostKernels &>(kernels).function(kernel)(args);
    return Status();
  }

  Status gemm(const GemmCall &call) override {
    if (!blas) {
      StatusOr<const Blas *> loaded = Blas::get();
      if (!loaded.ok())
        return loaded.status();
      blas = *loaded;
    }
    const plan::GemmT &shape = *call.shape;
    for (uint64_t extent :
         {shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc})
      if (extent > INT32_MAX)
        return Status::rankFailed("a matrix product with the extent " +
                                  std::to_string(extent) +
                                  " is larger than this BLAS can address");
    blas->multiply(call);
    return Status();
  }

  void copy(void *target, const void *source, uint64_t bytes) override {
    if (bytes > 0 && target != source)
      std::memcpy(target, source, bytes);
  }
  Status upload(void *target, const void *host, uint64_t bytes) override {
    copy(target, host, bytes);
    return Status();
  }
  Status download(void *host, const void *source, uint64_t bytes) override {
    copy(host, source, bytes);
    return Status();
  }
  Status synchronize() override { return Status(); }

private:
  std::vector<AlignedBuffer> buffers;
  uint64_t allocated = 0;
  const Blas *blas = nullptr;
};

class HostDriver : public Driver {
public:
  explicit HostDriver(const HostTransportOptions &options) : options(options) {}

  const char *name() const override { return "host"; }

  StatusOr<std::shared_ptr<KernelLibrary>>
  loadKernels(const plan::KernelObjectT &object) override {
    return HostKernels::load(object);
  }

  StatusOr<std::unique_ptr<Device>> openDevice(uint32_t rank) override {
    return std::unique_ptr<Device>(std::make_unique<HostDevice>());
  }

  StatusOr<std::unique_ptr<Transport>>
  openTransport(uint32_t ranks, uint16_t streams, AbortSignal &abort) override {
    if (ranks > maxRanks)
      return Status::badInput(
          "the plan is for " + std::to_string(ranks) +
          " devices, but the host driver runs at most " +
          std::to_string(maxRanks) +
          " ranks, as threads of one process; compile and explain take more");
    return std::unique_ptr<Transport>(
        std::make_unique<HostTransport>(ranks, streams, abort, options));
  }

private:
  HostTransportOptions options;
};

} // namespace

std::unique_ptr<Driver>
createHostDriver(const HostTransportOptions &transport) {
  return std::make_unique<HostDriver>(transport);
}

} // namespace partopt::rt
