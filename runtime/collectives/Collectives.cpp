//===- Collectives.cpp - Collective operations over a transport -----------===//
//
// Operands of a bucket are strung together as views: chunk or block j of the
// bucket is the concatenation of every operand's part, so one ring serves all.
//
//===----------------------------------------------------------------------===//

#include "runtime/collectives/Collectives.h"

#include "runtime/collectives/Combine.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/RingChunks.h"

#include <cstring>

namespace partopt::rt {

using plan::CollectiveKind;

namespace {

class Runner {
public:
  Runner(Channel &channel, const CollectiveCall &call)
      : channel(channel), call(call), op(*call.op), n(call.members.size()),
        me(call.member), size(plan::elementSize(op.type)) {}

  Status allReduce();
  Status allGather();
  Status reduceScatter();
  Status allToAll();
  Status permute();
  Status broadcast();
  Status send();
  Status receive();

private:
  /// Member `offset` places after this one.
  uint64_t after(uint64_t offset) const { return (me + offset) % n; }
  uint64_t before(uint64_t offset) const { return (me + n - offset) % n; }
  uint32_t rankOf(uint64_t member) const { return call.members[member]; }
  Tag tag(uint64_t step) const {
    // A message is its sender's, whose bytes it counts as.
    bool isMessage = op.kind == CollectiveKind::Recv;
    return {op.id, static_cast<uint32_t>(step),
            isMessage ? CollectiveKind::Send : op.kind};
  }

  /// Block `block` of the buffers when each is `parts` blocks of
  /// counts[i] * size / divide bytes.
  View blockOf(const std::vector<uint8_t *> &buffers, uint64_t block,
               uint64_t divide) const {
    View view;
    for (size_t i = 0; i < buffers.size(); ++i) {
      uint64_t bytes = op.counts[i] / divide * size;
      view.append(buffers[i] + block * bytes, bytes);
    }
    return view;
  }
  View whole(const std::vector<uint8_t *> &buffers) const {
    return blockOf(buffers, 0, 1);
  }

  /// Sends and receives; incoming bytes replace those of `target`.
  Status store(uint64_t step, uint64_t to, const View &outgoing, uint64_t from,
               const View &target);

  static void copy(const View &target, const View &source);
  /// Writes `data` at `offset` of `target`.
  static void put(const View &target, uint64_t offset, const uint8_t *data,
                  uint64_t bytes);

  Channel &channel;
  const CollectiveCall &call;
  const plan::CollectiveStartT &op;
  uint64_t n, me, size;
};

void Runner::put(const View &target, uint64_t offset, const uint8_t *data,
                 uint64_t bytes) {
  target.forRange(offset, bytes, [&](uint8_t *at, uint64_t part) {
    std::memcpy(at, data, part);
    data += part;
  });
}

void Runner::copy(const View &target, const View &source) {
  uint64_t offset = 0;
  source.forRange(0, source.bytes(), [&](const uint8_t *data, uint64_t bytes) {
    put(target, offset, data, bytes);
    offset += bytes;
  });
}

Status Runner::store(uint64_t step, uint64_t to, const View &outgoing,
                     uint64_t from, const View &target) {
  return channel.exchange(
      tag(step), rankOf(to), outgoing, rankOf(from), target.bytes(),
      [&](uint64_t offset, const uint8_t *data, uint64_t bytes) {
        put(target, offset, data, bytes);
      });
}

/// Reduce around the ring, then pass the finished chunks around. Chunk c starts
/// at member c + 1 and ends, complete, at member c.
Status Runner::allReduce() {
  View result = whole(call.results);
  for (size_t i = 0; i < call.results.size(); ++i)
    if (call.results[i] != call.operands[i])
      std::memcpy(call.results[i], call.operands[i], op.counts[i] * size);
  CombineFunction combine = combineFunction(op.type, op.combiner);
  auto chunk = [&](uint64_t c) {
    plan::Chunk range = plan::ringChunk(result.bytes() / size, n, c);
    return result.slice(range.begin * size, range.count * size);
  };
  for (uint64_t step = 0; step + 1 < n; ++step) {
    View target = chunk(before(step + 2));
    Status status = channel.exchange(
        tag(step), rankOf(after(1)), chunk(before(step + 1)), rankOf(before(1)),
        target.bytes(),
        [&](uint64_t offset, const uint8_t *data, uint64_t bytes) {
          target.forRange(offset, bytes, [&](uint8_t *at, uint64_t part) {
            combine(at, data, part / size);
            data += part;
          });
        });
    if (!status.ok())
      return status;
  }
  for (uint64_t step = 0; step + 1 < n; ++step) {
    Status status = store(n + step, after(1), chunk(before(step)), before(1),
                          chunk(before(step + 1)));
    if (!status.ok())
      return status;
  }
  return Status();
}

Status Runner::allGather() {
  copy(blockOf(call.results, me, 1), whole(call.operands));
  for (uint64_t step = 0; step + 1 < n; ++step) {
    Status status =
        store(step, after(1), blockOf(call.results, before(step), 1), before(1),
              blockOf(call.results, before(step + 1), 1));
    if (!status.ok())
      return status;
  }
  return Status();
}

/// The ring of all_reduce's first half. The partial sum on its way through lies
/// in the result: part i of it has left before part i of the next arrives.
Status Runner::reduceScatter() {
  CombineFunction combine = combineFunction(op.type, op.combiner);
  View result = blockOf(call.results, 0, n);
  View first = blockOf(call.operands, before(1), n);
  if (n == 1)
    copy(result, first);
  for (uint64_t step = 0; step + 1 < n; ++step) {
    View own = blockOf(call.operands, before(step + 2), n);
    Status status = channel.exchange(
        tag(step), rankOf(after(1)), step == 0 ? first : result,
        rankOf(before(1)), result.bytes(),
        [&](uint64_t offset, const uint8_t *data, uint64_t bytes) {
          put(result, offset, data, bytes);
          uint64_t at = offset;
          own.forRange(offset, bytes, [&](uint8_t *mine, uint64_t part) {
            result.forRange(at, part, [&](uint8_t *sum, uint64_t piece) {
              combine(sum, mine, piece / size);
              mine += piece;
            });
            at += part;
          });
        });
    if (!status.ok())
      return status;
  }
  return Status();
}

Status Runner::allToAll() {
  copy(blockOf(call.results, me, n), blockOf(call.operands, me, n));
  for (uint64_t step = 1; step < n; ++step) {
    Status status =
        store(step, after(step), blockOf(call.operands, after(step), n),
              before(step), blockOf(call.results, before(step), n));
    if (!status.ok())
      return status;
  }
  return Status();
}

Status Runner::permute() {
  uint64_t to = op.permutation[me], from = 0;
  while (op.permutation[from] != me)
    ++from;
  if (to == me) {
    copy(whole(call.results), whole(call.operands));
    return Status();
  }
  return store(0, to, whole(call.operands), from, whole(call.results));
}

/// A chain from the root, in pieces, so that all links work at once.
Status Runner::broadcast() {
  constexpr uint64_t piece = 256 << 10;
  View result = whole(call.results);
  if (me == op.root)
    copy(result, whole(call.operands));
  bool last = after(1) == op.root;
  for (uint64_t offset = 0; offset < result.bytes(); offset += piece) {
    View part = result.slice(offset, std::min(piece, result.bytes() - offset));
    uint64_t step = offset / piece;
    if (me != op.root) {
      Status status = store(step, me, View(), before(1), part);
      if (!status.ok())
        return status;
    }
    if (!last) {
      Status status = store(step, after(1), part, me, View());
      if (!status.ok())
        return status;
    }
  }
  return Status();
}

Status Runner::send() {
  return store(0, op.root, whole(call.operands), me, View());
}

Status Runner::receive() {
  return store(0, me, View(), op.root, whole(call.results));
}

} // namespace

Status runCollective(Channel &channel, const CollectiveCall &call) {
  if (plan::usesHalving(*call.op, call.members.size()))
    return runHalving(channel, call);
  Runner runner(channel, call);
  switch (call.op->kind) {
  case CollectiveKind::AllReduce:
    return runner.allReduce();
  case CollectiveKind::AllGather:
    return runner.allGather();
  case CollectiveKind::ReduceScatter:
    return runner.reduceScatter();
  case CollectiveKind::AllToAll:
    return runner.allToAll();
  case CollectiveKind::Permute:
    return runner.permute();
  case CollectiveKind::Broadcast:
    return runner.broadcast();
  case CollectiveKind::Send:
    return runner.send();
  case CollectiveKind::Recv:
    return runner.receive();
  }
  return Status::rankFailed("unknown collective kind");
}

} // namespace partopt::rt
