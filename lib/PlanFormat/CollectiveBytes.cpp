//===- CollectiveBytes.cpp - What a collective costs in bytes -------------===//
//
// The formulas of CollectiveBytes.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/CollectiveBytes.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/RingChunks.h"

namespace partopt::plan {

const char *collectiveName(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::Permute:
    return "permute";
  case CollectiveKind::Broadcast:
    return "broadcast";
  case CollectiveKind::Send:
    return "send";
  case CollectiveKind::Recv:
    return "recv";
  }
  return "unknown";
}

const char *combinerName(Combiner combiner) {
  switch (combiner) {
  case Combiner::None:
    return "none";
  case Combiner::Sum:
    return "sum";
  case Combiner::Product:
    return "product";
  case Combiner::Min:
    return "min";
  case Combiner::Max:
    return "max";
  case Combiner::And:
    return "and";
  case Combiner::Or:
    return "or";
  }
  return "unknown";
}

uint64_t totalCount(const CollectiveStartT &collective) {
  uint64_t total = 0;
  for (uint64_t count : collective.counts)
    total = saturatingAdd(total, count);
  return total;
}

size_t tensorsOf(const CollectiveStartT &collective) {
  return collective.kind == CollectiveKind::Recv ? collective.results.size()
                                                 : collective.operands.size();
}

uint64_t payloadBytes(const CollectiveStartT &collective, uint64_t n) {
  uint64_t bytes =
      saturatingMul(totalCount(collective), elementSize(collective.type));
  if (collective.kind == CollectiveKind::AllGather)
    return saturatingMul(bytes, n);
  return bytes;
}

double formulaWireBytes(const CollectiveStartT &collective, uint64_t n) {
  if (n <= 1)
    return 0;
  double payload = static_cast<double>(payloadBytes(collective, n));
  double others = static_cast<double>(n - 1);
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    return 2 * others * payload / static_cast<double>(n);
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return others * payload / static_cast<double>(n);
  case CollectiveKind::Permute:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Send:
    return payload;
  case CollectiveKind::Recv:
    return 0;
  }
  return 0;
}

bool usesHalving(const CollectiveStartT &collective, uint64_t n) {
  constexpr uint64_t largest = 64 << 10;
  bool isPowerOfTwo = (n & (n - 1)) == 0;
  return n > 2 && isPowerOfTwo &&
         (collective.kind == CollectiveKind::AllReduce ||
          collective.kind == CollectiveKind::AllGather ||
          collective.kind == CollectiveKind::ReduceScatter) &&
         payloadBytes(collective, n) <= largest;
}

/// Elements of the finished chunks that a member of an all_reduce passes on.
static uint64_t gatheredCount(const CollectiveStartT &collective, uint64_t n,
                              uint64_t member) {
  uint64_t count = totalCount(collective);
  if (!usesHalving(collective, n))
    return count - ringChunk(count, n, (member + 1) % n).count;
  uint64_t sum = 0;
  for (uint64_t block = 1; block < n; block *= 2) {
    uint64_t first = member / block * block;
    Chunk last = ringChunk(count, n, first + block - 1);
    sum += last.begin + last.count - ringChunk(count, n, first).begin;
  }
  return sum;
}

uint64_t wireBytesSent(const CollectiveStartT &collective, uint64_t n,
                       uint64_t member) {
  if (n <= 1)
    return 0;
  uint64_t count = totalCount(collective);
  uint64_t size = elementSize(collective.type);
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    return size * (count - ringChunk(count, n, member).count +
                   gatheredCount(collective, n, member));
  case CollectiveKind::AllGather:
    return size * count * (n - 1);
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return size * (count / n) * (n - 1);
  case CollectiveKind::Permute:
    return collective.permutation[member] == member ? 0 : size * count;
  case CollectiveKind::Broadcast:
    return (member + 1) % n == collective.root ? 0 : size * count;
  case CollectiveKind::Send:
    return size * count;
  case CollectiveKind::Recv:
    return 0;
  }
  return 0;
}

} // namespace partopt::plan
