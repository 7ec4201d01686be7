//===- Driver.h - What a backend provides ---------------------------------===//
//
// The executor walks a plan; a driver owns memory, runs kernels and products,
// and moves bytes. Each rank has one device, and all devices of a process
// share one driver.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_HAL_DRIVER_H
#define PARTOPT_RUNTIME_HAL_DRIVER_H

#include "runtime/hal/AbortSignal.h"
#include "runtime/hal/Transport.h"

#include <memory>
#include <string>
#include <vector>

namespace partopt::rt {

/// The loaded kernels of a rank class.
class KernelLibrary {
public:
  virtual ~KernelLibrary() = default;
};

/// A matrix product with its addresses resolved; see plan::GemmT.
struct GemmCall {
  const plan::GemmT *shape;
  const void *a;
  const void *b;
  void *c;
};

/// Memory that a session fills and reads between steps.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// `host` is read before this returns.
  virtual Status upload(void *target, const void *host, uint64_t bytes) = 0;
  virtual Status download(void *host, const void *source, uint64_t bytes) = 0;
};

/// One rank's memory and compute queue. Used by the rank's thread only.
class Device : public DeviceMemory {
public:
  /// Allocates zeroed device memory aligned to 64 bytes; lives as long as the
  /// device. Counted in allocatedBytes.
  virtual StatusOr<uint8_t *> allocate(uint64_t bytes) = 0;
  virtual uint64_t allocatedBytes() const = 0;

  virtual Status launch(const KernelLibrary &kernels, uint32_t kernel,
                        void **args) = 0;
  virtual Status gemm(const GemmCall &call) = 0;
  virtual void copy(void *target, const void *source, uint64_t bytes) = 0;

  /// Blocks until everything queued is done.
  virtual Status synchronize() = 0;
};

class Driver {
public:
  virtual ~Driver() = default;

  virtual const char *name() const = 0;

  /// Checks hash, target, features, ABI version and symbols, then loads.
  virtual StatusOr<std::shared_ptr<KernelLibrary>>
  loadKernels(const plan::KernelObjectT &object) = 0;

  virtual StatusOr<std::unique_ptr<Device>> openDevice(uint32_t rank) = 0;

  /// A transport for `ranks` ranks with `streams` communication streams each.
  /// `abort` must outlive it; raising it ends every blocked exchange.
  virtual StatusOr<std::unique_ptr<Transport>>
  openTransport(uint32_t ranks, uint16_t streams, AbortSignal &abort) = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_HAL_DRIVER_H
