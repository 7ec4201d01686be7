//===- HostDriver.h - Ranks as threads of this process --------------------===//
//
// The embedded default: memory from the heap, kernels from the plan's shared
// object, products through a serial BLAS, transport over bounded queues.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_HOST_HOSTDRIVER_H
#define PARTOPT_RUNTIME_DRIVERS_HOST_HOSTDRIVER_H

#include "runtime/drivers/host/HostTransport.h"
#include "runtime/hal/Driver.h"

namespace partopt::rt {

std::unique_ptr<Driver>
createHostDriver(const HostTransportOptions &transport = {});

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_HOST_HOSTDRIVER_H
