//===- GroupMoves.cpp - A collective in one memory ------------------------===//
//
// Every kind says, for each piece of the payload, whose parts are combined and
// who gets the result.
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/GroupMoves.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/RingChunks.h"

#include <algorithm>

namespace partopt::rt {

using plan::CollectiveKind;

namespace {

class Planner {
public:
  Planner(const GroupCall &call, std::vector<uint64_t> &sent)
      : call(call), op(*call.op), n(call.members.size()),
        size(plan::elementSize(op.type)),
        isTree(plan::usesHalving(op, call.groupSize)), sent(sent) {}

  std::vector<GroupMove> run();

private:
  void allReduce();
  void allGather();
  void reduceScatter();
  void allToAll();
  void permute();
  void broadcast();
  void message();

  uint8_t *operand(size_t member, size_t tensor, uint64_t element = 0) const {
    return call.members[member].operands[tensor] + element * size;
  }
  uint8_t *result(size_t member, size_t tensor, uint64_t element = 0) const {
    return call.members[member].results[tensor] + element * size;
  }
  void copy(size_t from, size_t to, const uint8_t *source, uint8_t *target,
            uint64_t count);
  /// Members in the order in which their parts of chunk `chunk` are combined.
  std::vector<size_t> combineOrder(size_t chunk) const;
  /// Reduces `count` elements of `tensor`, from the operands' `element` on; the
  /// targets are to be added.
  GroupMove &reduce(const std::vector<size_t> &order, size_t tensor,
                    uint64_t element, uint64_t count);
  void countReduced(size_t chunk, uint64_t count);
  void countGathered(size_t chunk, uint64_t count);

  const GroupCall &call;
  const plan::CollectiveStartT &op;
  size_t n;
  uint64_t size;
  bool isTree;
  std::vector<uint64_t> &sent;
  std::vector<GroupMove> moves;
};

void Planner::copy(size_t from, size_t to, const uint8_t *source,
                   uint8_t *target, uint64_t count) {
  if (from != to)
    sent[from] += count * size;
  if (count > 0 && source != target)
    moves.push_back({{target}, {source}, count, CombineOrder::Ring});
}

/// A ring begins behind the chunk's owner and ends at it. Halving combines each
/// member with the one half a group away, then with one half of that away, …
std::vector<size_t> Planner::combineOrder(size_t chunk) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < n && !isTree; ++i)
    order.push_back((chunk + 1 + i) % n);
  for (size_t i = 0; i < n && isTree; ++i) {
    size_t reversed = 0;
    for (size_t bit = 1, high = n / 2; bit < n; bit *= 2, high /= 2)
      reversed |= i & bit ? high : 0;
    order.push_back(chunk ^ reversed);
  }
  return order;
}

GroupMove &Planner::reduce(const std::vector<size_t> &order, size_t tensor,
                           uint64_t element, uint64_t count) {
  GroupMove &move = moves.emplace_back();
  move.count = count;
  move.order = isTree ? CombineOrder::Tree : CombineOrder::Ring;
  for (size_t member : order)
    move.sources.push_back(operand(member, tensor, element));
  return move;
}

/// All but the chunk's owner give their part, combined with what they got.
void Planner::countReduced(size_t chunk, uint64_t count) {
  for (size_t member = 0; member < n; ++member)
    if (member != chunk)
      sent[member] += count * size;
}

void Planner::countGathered(size_t chunk, uint64_t count) {
  for (size_t member = 0; member < n && !isTree; ++member)
    if ((member + 1) % n != chunk)
      sent[member] += count * size;
  for (size_t half = 1; half < n && isTree; half *= 2)
    for (size_t member = 0; member < n; ++member)
      if (member / half == chunk / half)
        sent[member] += count * size;
}

/// Chunks cut the bucket as a whole, so a chunk is pieces of several tensors.
void Planner::allReduce() {
  uint64_t total = plan::totalCount(op);
  for (size_t chunk = 0; chunk < n; ++chunk) {
    plan::Chunk range = plan::ringChunk(total, n, chunk);
    std::vector<size_t> order = combineOrder(chunk);
    uint64_t begin = 0; // of the tensor, in the bucket
    for (size_t i = 0; i < op.counts.size(); begin += op.counts[i++]) {
      uint64_t first = std::max(range.begin, begin);
      uint64_t last = std::min(range.begin + range.count, begin + op.counts[i]);
      if (first >= last)
        continue;
      GroupMove &move = reduce(order, i, first - begin, last - first);
      for (size_t member = 0; member < n; ++member)
        move.targets.push_back(result(member, i, first - begin));
    }
    countReduced(chunk, range.count);
    countGathered(chunk, range.count);
  }
}

void Planner::reduceScatter() {
  for (size_t chunk = 0; chunk < n; ++chunk) {
    std::vector<size_t> order = combineOrder(chunk);
    for (size_t i = 0; i < op.counts.size(); ++i) {
      uint64_t count = op.counts[i] / n;
      countReduced(chunk, count);
      if (count > 0)
        reduce(order, i, chunk * count, count)
            .targets.push_back(result(chunk, i));
    }
  }
}

void Planner::allGather() {
  for (size_t i = 0; i < op.counts.size(); ++i)
    for (size_t from = 0; from < n; ++from)
      for (size_t to = 0; to < n; ++to)
        copy(from, to, operand(from, i), result(to, i, from * op.counts[i]),
             op.counts[i]);
}

void Planner::allToAll() {
  for (size_t i = 0; i < op.counts.size(); ++i) {
    uint64_t block = op.counts[i] / n;
    for (size_t from = 0; from < n; ++from)
      for (size_t to = 0; to < n; ++to)
        copy(from, to, operand(from, i, to * block),
             result(to, i, from * block), block);
  }
}

void Planner::permute() {
  for (size_t from = 0; from < n; ++from)
    for (size_t i = 0; i < op.counts.size(); ++i)
      copy(from, op.permutation[from], operand(from, i),
           result(op.permutation[from], i), op.counts[i]);
}

/// Bytes are those of a chain, which ends before the root.
void Planner::broadcast() {
  for (size_t i = 0; i < op.counts.size(); ++i) {
    for (size_t to = 0; to < n; ++to)
      copy(to, to, operand(op.root, i), result(to, i), op.counts[i]);
    for (size_t member = 0; member < n; ++member)
      if ((member + 1) % n != op.root)
        sent[member] += op.counts[i] * size;
  }
}

void Planner::message() {
  for (size_t i = 0; i < op.counts.size(); ++i)
    copy(0, 1, operand(0, i), result(1, i), op.counts[i]);
}

std::vector<GroupMove> Planner::run() {
  switch (op.kind) {
  case CollectiveKind::AllReduce:
    allReduce();
    break;
  case CollectiveKind::AllGather:
    allGather();
    break;
  case CollectiveKind::ReduceScatter:
    reduceScatter();
    break;
  case CollectiveKind::AllToAll:
    allToAll();
    break;
  case CollectiveKind::Permute:
    permute();
    break;
  case CollectiveKind::Broadcast:
    broadcast();
    break;
  case CollectiveKind::Send:
  case CollectiveKind::Recv:
    message();
    break;
  }
  return std::move(moves);
}

} // namespace

std::vector<GroupMove> groupMoves(const GroupCall &call,
                                  std::vector<uint64_t> &sent) {
  sent.resize(call.members.size());
  return Planner(call, sent).run();
}

} // namespace partopt::rt
