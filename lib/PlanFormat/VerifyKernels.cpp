//===- VerifyKernels.cpp - Kernel objects for GPUs ------------------------===//
//
// What a launch relies on: every kernel has grids, and each grid has an extent
// that devices take. Images are checked where they are loaded.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

namespace partopt::plan {

/// What every device takes (CUDA C++ Programming Guide, compute capabilities).
static constexpr uint64_t mostThreads = 1024, mostBlocksInX = 0x7fffffff,
                          mostBlocksInYAndZ = 65535;

/// Empty, or what is wrong with a grid.
static std::string faultOf(const GpuLaunchT &launch) {
  if (launch.grid.size() != 3 || launch.block.size() != 3)
    return "has no three extents";
  uint64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    uint64_t most = i == 0 ? mostBlocksInX : mostBlocksInYAndZ;
    if (launch.grid[i] == 0 || launch.grid[i] > most)
      return "has " + std::to_string(launch.grid[i]) +
             " blocks in a dimension, from 1 to " + std::to_string(most) +
             " are possible";
    threads *= launch.block[i];
  }
  if (threads == 0 || threads > mostThreads)
    return "has blocks of " + std::to_string(threads) + " threads, from 1 to " +
           std::to_string(mostThreads) + " are possible";
  return "";
}

void verifyKernels(const RankClassT &rankClass, Problems &problems) {
  const KernelObjectT *object = rankClass.kernels.get();
  if (!object || (object->gpu_images.empty() && object->gpu_kernels.empty()))
    return;
  std::string where = "kernels of class '" + rankClass.name + "': ";
  if (!object->image.empty())
    problems.add(where + "they are for the host and for a GPU");
  if (object->gpu_kernels.size() != object->symbols.size()) {
    problems.add(where + std::to_string(object->gpu_kernels.size()) +
                 " have grids, of " + std::to_string(object->symbols.size()));
    return;
  }
  for (size_t i = 0; i < object->gpu_kernels.size(); ++i) {
    if (object->gpu_kernels[i]->launches.empty())
      problems.add(where + "'" + object->symbols[i] + "' has no grid");
    for (const auto &launch : object->gpu_kernels[i]->launches)
      if (std::string fault = faultOf(*launch); !fault.empty())
        problems.add(where + "grid '" + launch->symbol + "' of '" +
                     object->symbols[i] + "' " + fault);
  }
}

} // namespace partopt::plan
