//===- StashCount.h - What stages keep, as counted ------------------------===//

#ifndef PARTOPT_PLAN_STASHCOUNT_H
#define PARTOPT_PLAN_STASHCOUNT_H

#include <cstdint>
#include <map>

namespace partopt::plan {

/// What one stage keeps of its forward segments for its gradients.
struct StageStash {
  uint32_t microbatches = 0; ///< the most at once
  /// Of each value as often as it is there at its own peak: what its place in
  /// memory has to be.
  uint64_t bytes = 0;
};

/// What the stages of one rank keep.
struct RankStash {
  uint32_t chunks = 0; ///< microbatches of all stages, the most at once
  std::map<int, StageStash> stages; ///< by number
};

} // namespace partopt::plan

#endif // PARTOPT_PLAN_STASHCOUNT_H
