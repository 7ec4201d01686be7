//===- Timeline.h - When a simulated rank does what -----------------------===//
//
// A rank's walk through a predicted step, for those who draw it or add it up.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_TIMELINE_H
#define PARTOPT_SIMULATE_TIMELINE_H

#include "partopt/Plan/ProgramWalk.h"

#include <vector>

namespace partopt::simulate {

/// Seconds count from the step's begin.
struct Interval {
  uint32_t instruction = 0;
  uint32_t turn = plan::WalkStep::none; ///< of interleaved loops
  double start = 0, end = 0;

  double seconds() const { return end - start; }
};

struct Timeline {
  /// Every instruction that the rank comes to, in that order, one behind the
  /// other: what computes takes its time, what waits as long as it waits. The
  /// LoopEnd of a loop without turns takes all iterations but the first, which
  /// were not simulated. An index behind the last instruction is the copies
  /// after the step.
  std::vector<Interval> steps;
  /// Collectives by their CollectiveStart, from the first message sent to the
  /// last one's arrival, in the order of their ends. A message is in the
  /// timelines of both its ends.
  std::vector<Interval> transfers;
};

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_TIMELINE_H
