//===- CollectiveBytes.h - What a collective costs in bytes ---------------===//
//
// Two counts with different use. The exact one is what a rank's transport will
// have sent, and a run is an error when they differ. The formula one is the
// report's, defined by kind and group size whatever algorithm runs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_COLLECTIVEBYTES_H
#define PARTOPT_PLAN_COLLECTIVEBYTES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>

namespace partopt::plan {

/// "all_reduce", "all_gather", …
const char *collectiveName(CollectiveKind kind);
/// "sum", …; "none".
const char *combinerName(Combiner combiner);

/// Elements of all operands together; of a Recv, of its results.
uint64_t totalCount(const CollectiveStartT &collective);

/// How many tensors it takes; those that a Recv makes.
size_t tensorsOf(const CollectiveStartT &collective);

/// Per device and execution: the result of all_gather and broadcast, the
/// operand of the others, what a message moves. n is the group size.
uint64_t payloadBytes(const CollectiveStartT &collective, uint64_t n);

/// The report's wire bytes per device and execution: 2(n-1)/n, (n-1)/n or 1
/// times the payload; a message is its sender's.
double formulaWireBytes(const CollectiveStartT &collective, uint64_t n);

/// Whether the collective is exchanged by halving and doubling, 2 log2(n) steps
/// instead of a ring's 2(n-1): reductions and gathers of at most 64 KiB payload
/// in groups of 4, 8, 16, … Both send the same bytes in sum over the group.
bool usesHalving(const CollectiveStartT &collective, uint64_t n);

/// Bytes that the member with index `member` of a group of n sends:
///  all_reduce      all chunks but its own, then n-1 finished chunks: all but
///                  its neighbour's in a ring, or blocks of 1, 2, 4, … chunks
///  all_gather      n-1 blocks;  reduce_scatter  n-1 blocks
///  all_to_all      n-1 blocks
///  permute         the operand, 0 when it sends to itself
///  broadcast       chain from the root: the operand, 0 for the last member
///  send            the operand;  recv  0
uint64_t wireBytesSent(const CollectiveStartT &collective, uint64_t n,
                       uint64_t member);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_COLLECTIVEBYTES_H
