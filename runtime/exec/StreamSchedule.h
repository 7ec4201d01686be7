//===- StreamSchedule.h - A step as work on streams -----------------------===//
//
// A device with streams runs what is put on them in order, and what is on
// different streams at once, but where one waits for another. Loops have static
// trips and turns a static order, so all of a step's work is known when the
// plan is loaded: a list of operations, each on a stream, in an order in which
// one thread may enqueue them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_STREAMSCHEDULE_H
#define PARTOPT_RUNTIME_EXEC_STREAMSCHEDULE_H

#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/StashCount.h"
#include "runtime/collectives/GroupMoves.h"
#include "runtime/exec/RankProgram.h"

#include <string>
#include <vector>

namespace partopt::rt {

/// What a stream is for: a rank's compute, or a communicator, which is a group
/// on one of its ranks' streams.
struct StreamUse {
  static constexpr uint32_t compute = UINT32_MAX;
  uint32_t rank = 0;             ///< of compute; else the first member
  uint32_t planStream = compute; ///< of the plan
  std::vector<uint32_t> members; ///< of the group, or sender and receiver
};

/// Where a rank's program stands.
struct OpPlace {
  uint32_t rank = 0, instruction = 0;
  uint32_t turn = plan::WalkStep::none, slot = 0;
};

/// An operation and the model's place that it comes from.
struct StreamOp : OpPlace {
  enum class Kind : uint8_t { Launch, Gemm, Copy, Write, Collective };
  static constexpr uint32_t none = UINT32_MAX;

  Kind kind = Kind::Launch;
  uint32_t stream = 0;
  /// Operations of other streams that come before; ascending. Of a collective
  /// those of all members.
  std::vector<uint32_t> after;
  bool isAwaited = false; ///< an operation of another stream comes after it

  // The place is the last member's of a collective; its instruction is `none`
  // where a result is copied into its argument.

  std::vector<void *> args; ///< Launch
  GemmCall gemm{};          ///< Gemm
  MemoryCopy copy;          ///< Copy; of a Write, the target of `value`
  uint32_t value = 0;       ///< Write: one word
  uint32_t group = 0;       ///< Collective: its place in `groups`
};

/// A collective whose local members have all started it.
struct ScheduledGroup {
  GroupCall call;
  /// By member, what comes before its part, as in StreamOp::after.
  std::vector<std::vector<uint32_t>> ready;
  std::vector<OpPlace> places; ///< by member
};

struct StreamSchedule {
  /// Streams 0, 1, … are the compute of `ranks` in order.
  std::vector<StreamUse> streams;
  std::vector<StreamOp> ops;
  std::vector<ScheduledGroup> groups;
  std::vector<plan::MemoryCount> memory; ///< by rank, what a step holds
  std::vector<plan::RankStash> stash;    ///< by rank, what its stages keep
};

/// A rank that this process runs.
struct ScheduledRank {
  uint32_t number = 0;
  RankProgram *program = nullptr; ///< resolved; addresses of slots are changed
  RankMemory memory;
};

/// Walks the programs of all `ranks` in turn: each goes on until it waits for a
/// collective that another one has not started yet; the collective is put on
/// its stream when the last of them has. Fails, saying who waits for what,
/// where none can go on.
StatusOr<StreamSchedule>
scheduleStreams(const plan::PlanT &plan,
                const std::vector<ScheduledRank> &ranks);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_STREAMSCHEDULE_H
