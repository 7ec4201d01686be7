//===- NcclCommunication.h - A GPU for each rank --------------------------===//
//
// One process that has all GPUs of a plan: one communicator over all ranks,
// split for each list of axes and each of the plan's streams.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLCOMMUNICATION_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLCOMMUNICATION_H

#include "runtime/drivers/cuda/StreamStep.h"

namespace partopt::rt {

/// Joins the GPUs of `ranks`. Fails without NCCL, at build time or now.
Status openNccl(const plan::MeshMath &mesh,
                const std::vector<RankResources> &ranks,
                std::unique_ptr<Communication> &communication);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLCOMMUNICATION_H
