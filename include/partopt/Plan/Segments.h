//===- Segments.h - The segments of a pipeline's program ------------------===//
//
// The loops that take turns, by what their labels say: the stage and what is
// done there, as schedules write it ("0F", "3W").
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_SEGMENTS_H
#define PARTOPT_PLAN_SEGMENTS_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::plan {

struct Segment {
  uint32_t loop = 0;           ///< its id
  uint32_t begin = 0, end = 0; ///< instructions
  int stage = -1;              ///< -1: the label is no action
  char action = 0;             ///< F, B, I or W
  uint32_t location = 0;       ///< of the first kernel with a source line
};

/// Of a verified program, in its order; none without turns.
std::vector<Segment> segmentsOf(const PlanT &plan, const ProgramT &program);

/// The name of a turn: the action with its microbatch, "0F3"; "turn 7" where
/// loops have no such labels.
std::string actionText(const ProgramT &program,
                       const std::vector<Segment> &segments, uint32_t turn);

/// A value that a stage's forward segment leaves for its other ones.
struct StashValue {
  uint32_t buffer = 0;
  /// Sent or received too: slots are then also for messages under way.
  bool isMessage = false;
  std::vector<size_t> readers; ///< other segments of the stage, by place
};

/// All such values of a stage.
struct Stash {
  uint32_t slots = 0; ///< of the value that has most
  /// The same of the values that are no messages: microbatches kept at once.
  uint32_t keptSlots = 0;
  uint64_t bytes = 0; ///< of all, with all their slots
  std::vector<StashValue> values;
};
Stash stashOf(const ProgramT &program, const std::vector<Segment> &segments,
              int stage);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_SEGMENTS_H
