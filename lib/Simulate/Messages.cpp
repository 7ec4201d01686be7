//===- Messages.cpp - A collective as the messages of its algorithm -------===//
//
// See Messages.h and runtime/collectives.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Messages.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

namespace partopt::simulate {

using plan::CollectiveKind;

namespace {

class Messages {
public:
  Messages(const plan::CollectiveStartT &op, uint64_t n)
      : op(op), n(n), size(plan::elementSize(op.type)),
        count(plan::totalCount(op)) {}

  std::vector<MessageRun> run();

private:
  /// Largest bytes of `chunks` neighbouring ones of the n that the payload is
  /// cut into.
  uint64_t chunkBytes(uint64_t chunks) const {
    uint64_t rest = count % n;
    return (count / n * chunks + std::min(rest, chunks)) * size;
  }
  void send(uint64_t messages, uint64_t bytes, bool combines,
            bool isPipelined = false) {
    if (messages > 0)
      runs.push_back({messages, bytes, combines, isPipelined});
  }
  /// Bytes of `blocks` blocks of the collective's n.
  uint64_t blockBytes(uint64_t blocks) const {
    if (op.kind == CollectiveKind::AllReduce)
      return chunkBytes(blocks);
    bool isWhole = op.kind == CollectiveKind::AllGather;
    return (isWhole ? count : count / n) * blocks * size;
  }
  void halve();
  void broadcast();

  const plan::CollectiveStartT &op;
  uint64_t n, size, count;
  std::vector<MessageRun> runs;
};

void Messages::halve() {
  if (op.kind != CollectiveKind::AllGather)
    for (uint64_t half = n / 2; half > 0; half /= 2)
      send(1, blockBytes(half), true);
  if (op.kind != CollectiveKind::ReduceScatter)
    for (uint64_t half = 1; half < n; half *= 2)
      send(1, blockBytes(half), false);
}

/// The first piece goes down the chain; the others follow it.
void Messages::broadcast() {
  constexpr uint64_t piece = 256 << 10;
  uint64_t bytes = count * size, first = std::min(piece, bytes);
  send(n - 1, first, false);
  send((bytes - first) / piece, piece, false, true);
  if (uint64_t last = (bytes - first) % piece)
    send(1, last, false, true);
}

std::vector<MessageRun> Messages::run() {
  if (n <= 1)
    return {};
  if (plan::usesHalving(op, n)) {
    halve();
    return runs;
  }
  switch (op.kind) {
  case CollectiveKind::AllReduce:
    send(n - 1, blockBytes(1), true);
    send(n - 1, blockBytes(1), false);
    break;
  case CollectiveKind::ReduceScatter:
    send(n - 1, blockBytes(1), true);
    break;
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
    send(n - 1, blockBytes(1), false);
    break;
  case CollectiveKind::Permute: {
    bool moves = false;
    for (uint64_t member = 0; member < op.permutation.size(); ++member)
      moves |= op.permutation[member] != member;
    send(moves, count * size, false);
    break;
  }
  case CollectiveKind::Broadcast:
    broadcast();
    break;
  case CollectiveKind::Send:
    send(1, count * size, false);
    break;
  case CollectiveKind::Recv: // nothing is sent
    break;
  }
  return runs;
}

} // namespace

std::vector<MessageRun> messagesOf(const plan::CollectiveStartT &collective,
                                   uint64_t n) {
  return Messages(collective, n).run();
}

} // namespace partopt::simulate
