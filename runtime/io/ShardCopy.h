//===- ShardCopy.h - Runs of a global array that a rank holds -------------===//
//
// A shard is a box in the global array; in memory it is a set of contiguous
// runs. Loading and saving visit the runs and nothing else, so no rank ever
// holds a global array.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_IO_SHARDCOPY_H
#define PARTOPT_RUNTIME_IO_SHARDCOPY_H

#include "partopt/Plan/MeshMath.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace partopt::rt {

/// Elements [global, global + count) of the global array are elements
/// [local, local + count) of the rank's padded buffer.
struct ShardRun {
  uint64_t global, local, count;
};

/// Visits the runs of the box `ranges` of a global array of `globalShape` that
/// lies at the origin of a local array of `localShape`, in rising order.
void forEachRun(const std::vector<uint64_t> &globalShape,
                const std::vector<uint64_t> &localShape,
                const std::vector<plan::DimRange> &ranges,
                const std::function<void(const ShardRun &)> &visit);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_IO_SHARDCOPY_H
