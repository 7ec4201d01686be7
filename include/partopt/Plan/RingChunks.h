//===- RingChunks.h - How a ring cuts its elements ------------------------===//
//
// The one rule by which `count` elements are cut over the n members of a ring;
// the algorithms, the byte prediction and the tests share it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_RINGCHUNKS_H
#define PARTOPT_PLAN_RINGCHUNKS_H

#include <algorithm>
#include <cstdint>

namespace partopt::plan {

/// A range of elements.
struct Chunk {
  uint64_t begin;
  uint64_t count;
};

/// Chunk r of `count` elements over n members: the first count % n chunks have
/// one element more than the others. n > 0, r < n.
inline Chunk ringChunk(uint64_t count, uint64_t n, uint64_t r) {
  uint64_t base = count / n, rest = count % n;
  return {r * base + std::min(r, rest), base + (r < rest ? 1 : 0)};
}

} // namespace partopt::plan

#endif // PARTOPT_PLAN_RINGCHUNKS_H
