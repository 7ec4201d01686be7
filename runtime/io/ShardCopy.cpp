//===- ShardCopy.cpp - Runs of a global array that a rank holds -----------===//
//
// See ShardCopy.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/ShardCopy.h"

namespace partopt::rt {

void forEachRun(const std::vector<uint64_t> &globalShape,
                const std::vector<uint64_t> &localShape,
                const std::vector<plan::DimRange> &ranges,
                const std::function<void(const ShardRun &)> &visit) {
  size_t rank = globalShape.size();
  uint64_t total = 1;
  for (const plan::DimRange &range : ranges)
    total *= range.count;
  if (total == 0)
    return;
  // Trailing dimensions that are held whole, without padding, join the run.
  size_t inner = rank;
  uint64_t run = 1;
  while (inner > 0) {
    --inner;
    run *= ranges[inner].count;
    if (ranges[inner].count != globalShape[inner] ||
        ranges[inner].count != localShape[inner])
      break;
  }
  std::vector<uint64_t> index(inner);
  while (true) {
    uint64_t global = 0, local = 0;
    for (size_t dim = 0; dim < rank; ++dim) {
      uint64_t at = dim < inner ? index[dim] : 0;
      global = global * globalShape[dim] + ranges[dim].begin + at;
      local = local * localShape[dim] + at;
    }
    visit({global, local, run});
    size_t dim = inner;
    while (dim > 0 && ++index[dim - 1] == ranges[dim - 1].count)
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

} // namespace partopt::rt
