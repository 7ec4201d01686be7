//===- KernelObject.h - Loading a class's kernels -------------------------===//
//
// The plan carries a shared object; it is checked against this machine and
// loaded from memory without touching the disk where the system allows it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_HOST_KERNELOBJECT_H
#define PARTOPT_RUNTIME_DRIVERS_HOST_KERNELOBJECT_H

#include "runtime/hal/Driver.h"

namespace partopt::rt {

using KernelFunction = void (*)(void **args);

class HostKernels : public KernelLibrary {
public:
  /// Fails when the hash, target triple, CPU, ABI version or a symbol does not
  /// fit. `preferFile` skips the in-memory way (for systems that forbid it,
  /// and for tests).
  static StatusOr<std::shared_ptr<KernelLibrary>>
  load(const plan::KernelObjectT &object, bool preferFile = false);

  ~HostKernels() override;

  /// `kernel` < number of symbols.
  KernelFunction function(uint32_t kernel) const { return functions[kernel]; }

private:
  HostKernels() = default;

  // The loader tells objects apart by device and inode; a descriptor that was
  // closed and reused would give the old object, so it stays open.
  int descriptor = -1;
  void *handle = nullptr;
  std::vector<KernelFunction> functions;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_HOST_KERNELOBJECT_H
