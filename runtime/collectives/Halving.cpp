//===- Halving.cpp - Reductions and gathers in few steps ------------------===//
//
// Recursive halving and doubling (Thakur, Rabenseifner, Gropp 2005) for small
// payloads in groups of a power of two, where the number of steps is what
// costs. The payload is packed into one block of chunks, so buckets cost
// nothing more.
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

class Halving {
public:
  Halving(Channel &channel, const CollectiveCall &call)
      : channel(channel), call(call), op(*call.op), n(call.members.size()),
        me(call.member), size(plan::elementSize(op.type)),
        total(plan::payloadBytes(op, n) / size), packed(total * size) {}

  Status run();

private:
  /// Calls visit(operand or result i, its part of block `block`, bytes) when
  /// each buffer is blocks of counts[i] / divide elements.
  template <typename Visit>
  void forBlock(uint64_t block, uint64_t divide, Visit visit) {
    uint8_t *at = packed.data() + begin(block) * size;
    for (size_t i = 0; i < op.counts.size(); ++i) {
      uint64_t bytes = op.counts[i] / divide * size;
      if (bytes > 0)
        visit(i, block * bytes, at, bytes);
      at += bytes;
    }
  }
  void pack(uint64_t blocks, uint64_t divide);
  void unpack(uint64_t firstBlock, uint64_t blocks, uint64_t divide);

  /// First element of chunk `chunk` of n.
  uint64_t begin(uint64_t chunk) const {
    return chunk == n ? total : plan::ringChunk(total, n, chunk).begin;
  }
  /// Chunks [first, last) of the packed data.
  View chunks(uint64_t first, uint64_t last) {
    return View(packed.data() + begin(first) * size,
                (begin(last) - begin(first)) * size);
  }
  Status exchange(uint64_t partner, const View &outgoing,
                  const Consumer &consume, uint64_t incoming) {
    Tag tag{op.id, step++, op.kind};
    uint32_t peer = call.members[partner];
    return channel.exchange(tag, peer, outgoing, peer, incoming, consume);
  }
  Status reduce();
  Status gather();

  Channel &channel;
  const CollectiveCall &call;
  const plan::CollectiveStartT &op;
  uint64_t n, me, size, total; // total: elements of the payload
  std::vector<uint8_t> packed;
  uint32_t step = 0;
};

/// Leaves chunk `me` complete: each step keeps one half of what is left and
/// gives the other to the partner in it.
Status Halving::reduce() {
  CombineFunction combine = combineFunction(op.type, op.combiner);
  uint64_t first = 0;
  for (uint64_t half = n / 2; half > 0; half /= 2) {
    uint64_t other = first + half;
    if (me >= other)
      std::swap(first, other);
    View kept = chunks(first, first + half);
    Status status = exchange(
        me ^ half, chunks(other, other + half),
        [&](uint64_t offset, const uint8_t *data, uint64_t bytes) {
          kept.forRange(offset, bytes, [&](uint8_t *at, uint64_t part) {
            combine(at, data, part / size);
          });
        },
        kept.bytes());
    if (!status.ok())
      return status;
  }
  return Status();
}

/// From chunk `me` to all of them: each step doubles what is there.
Status Halving::gather() {
  for (uint64_t half = 1; half < n; half *= 2) {
    uint64_t own = me / half * half, theirs = own ^ half;
    View target = chunks(theirs, theirs + half);
    Status status = exchange(
        me ^ half, chunks(own, own + half),
        [&](uint64_t offset, const uint8_t *data, uint64_t bytes) {
          target.forRange(offset, bytes, [&](uint8_t *at, uint64_t part) {
            std::memcpy(at, data, part);
          });
        },
        target.bytes());
    if (!status.ok())
      return status;
  }
  return Status();
}

void Halving::pack(uint64_t blocks, uint64_t divide) {
  for (uint64_t block = 0; block < blocks; ++block)
    forBlock(block, divide,
             [&](size_t i, uint64_t from, uint8_t *at, uint64_t bytes) {
               std::memcpy(at, call.operands[i] + from, bytes);
             });
}

void Halving::unpack(uint64_t firstBlock, uint64_t blocks, uint64_t divide) {
  for (uint64_t b = 0; b < blocks; ++b)
    forBlock(firstBlock + b, divide,
             [&](size_t i, uint64_t, uint8_t *at, uint64_t bytes) {
               std::memcpy(call.results[i] + b * bytes, at, bytes);
             });
}

Status Halving::run() {
  Status status;
  switch (op.kind) {
  case CollectiveKind::AllReduce: // one block, cut anywhere
    pack(1, 1);
    status = reduce();
    if (status.ok())
      status = gather();
    if (status.ok())
      unpack(0, 1, 1);
    return status;
  case CollectiveKind::ReduceScatter: // chunk j is block j of every operand
    pack(n, n);
    status = reduce();
    if (status.ok())
      unpack(me, 1, n);
    return status;
  case CollectiveKind::AllGather:
    forBlock(me, 1, [&](size_t i, uint64_t, uint8_t *at, uint64_t bytes) {
      std::memcpy(at, call.operands[i], bytes);
    });
    status = gather();
    if (status.ok())
      unpack(0, n, 1);
    return status;
  default:
    return Status::rankFailed("only reductions and gathers can be halved");
  }
}

} // namespace

Status runHalving(Channel &channel, const CollectiveCall &call) {
  return Halving(channel, call).run();
}

} // namespace partopt::rt
