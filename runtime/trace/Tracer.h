//===- Tracer.h - What ran when -------------------------------------------===//
//
// One lane per rank for compute and one per communication stream. A lane is
// written by one thread at a time, so recording takes no lock.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_TRACE_TRACER_H
#define PARTOPT_RUNTIME_TRACE_TRACER_H

#include "partopt-rt/Status.h"
#include "partopt/Plan/ProgramWalk.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace partopt::rt {

/// Where an instruction ran.
struct TracedPlace {
  uint32_t index = 0, step = 0;
  uint32_t turn = plan::WalkStep::none; ///< of interleaved loops
  uint32_t slot = 0;                    ///< the turn's iteration
  uint64_t bytes = 0;                   ///< of a collective's payload

  bool sameTurn(const TracedPlace &other) const {
    return turn == other.turn && step == other.step;
  }
};

/// What was recorded on a lane.
struct TracedEvent {
  std::chrono::steady_clock::time_point begin, end;
  const plan::InstructionT *instruction;
  TracedPlace place;
};

class Tracer {
public:
  using Clock = std::chrono::steady_clock;

  Tracer(uint32_t ranks, uint16_t streams, bool enabled)
      : streams(streams), enabled(enabled), origin(Clock::now()),
        lanes(enabled ? size_t(ranks) * (streams + 1u) : 0) {}

  /// A point in time, or nothing when tracing is off.
  Clock::time_point now() const {
    return enabled ? Clock::now() : Clock::time_point();
  }

  /// Records `instruction` from `begin` to `end`. Lane 0 is compute, lane 1 + s
  /// is stream s.
  void record(uint32_t rank, uint16_t lane, Clock::time_point begin,
              Clock::time_point end, const plan::InstructionT &instruction,
              const TracedPlace &place) {
    if (enabled)
      lanes[size_t(rank) * (streams + 1u) + lane].push_back(
          {begin, end, &instruction, place});
  }

  /// Writes Chrome's JSON (opens in Perfetto); no thread may be recording.
  /// Turns of a pipeline are named as schedules write them ("0F3").
  Status write(const std::string &path, const plan::PlanT &plan) const;

private:
  uint16_t streams;
  bool enabled;
  Clock::time_point origin;
  std::vector<std::vector<TracedEvent>> lanes;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_TRACE_TRACER_H
