//===- GroupMoves.h - A collective in one memory --------------------------===//
//
// Where all members of a group share a device, a collective is copies and
// reductions in memory that all of them see. Elements are combined in the order
// of Collectives.h, so that results are the same bits, and what a member would
// have sent to others is counted as there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_COLLECTIVES_GROUPMOVES_H
#define PARTOPT_RUNTIME_COLLECTIVES_GROUPMOVES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <vector>

namespace partopt::rt {

/// A collective with the buffers of all its members, in group order; of a
/// message the sender, then the receiver.
struct GroupCall {
  struct Member {
    uint32_t rank = 0;
    uint32_t index = 0; ///< in the group
    std::vector<uint8_t *> operands, results;
  };
  const plan::CollectiveStartT *op = nullptr;
  uint64_t groupSize = 0;
  std::vector<Member> members;

  bool isMessage() const {
    return op->kind == plan::CollectiveKind::Send ||
           op->kind == plan::CollectiveKind::Recv;
  }
};

/// How the sources of a reduction are combined.
enum class CombineOrder : uint8_t {
  Ring, ///< ((s0 o s1) o s2) o ..., each new source on the left of o
  Tree  ///< pairs, then pairs of pairs; a power of two of sources
};

/// Writes the sources, combined, to every target. With one source a copy. An
/// element of a target may be that of a source.
struct GroupMove {
  std::vector<uint8_t *> targets;
  std::vector<const uint8_t *> sources;
  uint64_t count = 0; ///< elements
  CombineOrder order = CombineOrder::Ring;

  bool isCopy() const { return sources.size() == 1; }
};

/// What the collective does, in any order: no move reads what another writes.
/// Adds to sent[i] the bytes that member i gives to others.
std::vector<GroupMove> groupMoves(const GroupCall &call,
                                  std::vector<uint64_t> &sent);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_COLLECTIVES_GROUPMOVES_H
