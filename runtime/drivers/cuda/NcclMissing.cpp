//===- NcclMissing.cpp - A build without NCCL -----------------------------===//
//
// Stands for communication between GPUs where CMake found no nccl.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/NcclCommunication.h"

namespace partopt::rt {

Status openNccl(const plan::MeshMath &mesh,
                const std::vector<RankResources> &ranks,
                std::unique_ptr<Communication> &communication) {
  return Status::badInput(
      "this partopt was built without NCCL, through which GPUs communicate: "
      "CMake found no nccl.h. Install it (pip install nvidia-nccl-cu13) and "
      "build again, or set CUDA_VISIBLE_DEVICES to one GPU that all ranks "
      "share");
}

} // namespace partopt::rt
