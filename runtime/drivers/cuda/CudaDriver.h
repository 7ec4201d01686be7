//===- CudaDriver.h - Ranks on GPUs ---------------------------------------===//
//
// All of a step's work is put on the streams of one GPU, or of one per rank,
// and replayed as a graph. Driver, cuBLASLt and NCCL are loaded at run time.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H

#include "runtime/exec/Executor.h"

namespace partopt::rt {

/// Whether there is a GPU that a plan can run on; else what is missing and what
/// to do.
Status checkCudaDriver();

/// Opens the GPUs for a plan that verifies. Fails, saying what is missing and
/// what to do, without the CUDA headers at build time, a driver, a GPU, or the
/// libraries and memory that the plan needs.
StatusOr<std::shared_ptr<Executor>>
openCudaExecutor(std::shared_ptr<const plan::PlanT> plan,
                 const SessionOptions &options);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
