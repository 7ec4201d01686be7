//===- BucketBoundaries.h - Which gradients share a bucket ------*- C++ -*-===//
//
// The time of a collective on a link, and the boundaries of buckets with which
// the last gradient is reduced earliest.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SCHEDULE_BUCKETBOUNDARIES_H
#define PARTOPT_SCHEDULE_BUCKETBOUNDARIES_H

#include <cstdint>
#include <vector>

namespace partopt {

/// What collectives of one kind take.
struct LinkCost {
  double latencySeconds = 0; ///< of a collective, whatever its size
  double bytesPerSecond = 0; ///< of its payload; above 0

  double seconds(double payloadBytes) const {
    return latencySeconds + payloadBytes / bytesPerSecond;
  }
};

/// A gradient in the order in which the backward pass makes them; `seconds`
/// does not fall.
struct ReadyGradient {
  double seconds = 0; ///< when it is there
  double bytes = 0;
};

/// Ends of the buckets, each one past its last gradient; the last is the number
/// of gradients. Buckets are reduced one after the other, each when its last
/// gradient is there and the link is free; these finish earliest, of such the
/// fewest. Linear: finishing times of prefixes grow, so the best cut that does
/// not delay a bucket is the last one, and among the others a minimum moves.
std::vector<unsigned> chooseBuckets(const std::vector<ReadyGradient> &gradients,
                                    const LinkCost &link);

/// When the last bucket is done.
double bucketsFinish(const std::vector<ReadyGradient> &gradients,
                     const std::vector<unsigned> &ends, const LinkCost &link);

} // namespace partopt

#endif // PARTOPT_SCHEDULE_BUCKETBOUNDARIES_H
