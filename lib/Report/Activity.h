//===- Activity.h - What a rank does in an interval -----------------------===//
//
// Tells computing from waiting along a timeline.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_REPORT_ACTIVITY_H
#define PARTOPT_LIB_REPORT_ACTIVITY_H

#include "partopt/Simulate/Timeline.h"

#include <vector>

namespace partopt::report {

enum class Activity {
  Compute,
  Iterations, ///< of a loop, all but the first
  Wait,       ///< for a collective
  Idle        ///< for another stage's message
};

class Activities {
public:
  /// Of a verified program.
  Activities(const plan::PlanT &plan, const plan::ProgramT &program);

  Activity of(const simulate::Interval &interval) const;

  /// The CollectiveStart that the instruction waits for, or that it is; else
  /// null.
  const plan::InstructionT *collective(uint32_t instruction) const;

private:
  const plan::ProgramT &program;
  std::vector<uint32_t> starts; // by instruction: what a Wait waits for
  std::vector<bool> repeats;    // by instruction: the end of such a loop
};

} // namespace partopt::report

#endif // PARTOPT_LIB_REPORT_ACTIVITY_H
