//===- Collectives.h - Collective operations over a transport -------------===//
//
// Real algorithms over Channel::exchange: rings for all_reduce, all_gather and
// reduce_scatter (halving and doubling where plan::usesHalving says so),
// pairwise all_to_all, direct permute, send and receive, chain broadcast. They
// send exactly the bytes of plan::wireBytesSent, and the order in which
// elements are combined depends on nothing but the group and the payload.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_COLLECTIVES_COLLECTIVES_H
#define PARTOPT_RUNTIME_COLLECTIVES_COLLECTIVES_H

#include "runtime/hal/Transport.h"

#include <vector>

namespace partopt::rt {

/// A collective of one rank with its addresses and group resolved.
struct CollectiveCall {
  const plan::CollectiveStartT *op = nullptr;
  std::vector<uint32_t> members; ///< ranks, in group order
  uint32_t member = 0;           ///< own place in `members`
  std::vector<uint8_t *> operands, results;
};

/// Runs the collective to its end on the calling thread. Result layout as in
/// plan::CollectiveStart; operands are not changed, unless they are the result.
Status runCollective(Channel &channel, const CollectiveCall &call);

/// The part of runCollective for which plan::usesHalving is true.
Status runHalving(Channel &channel, const CollectiveCall &call);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_COLLECTIVES_COLLECTIVES_H
