//===- KeptMicrobatches.h - What an order keeps at once -------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_KEPTMICROBATCHES_H
#define PARTOPT_PIPELINESCHEDULE_KEPTMICROBATCHES_H

#include "partopt/PipelineSchedule/Schedule.h"

#include <map>

namespace partopt::pipeline {

/// The most microbatches of a stage whose forward has begun and whose gradient
/// has not ended. Where one of the two gradients is missing in the order, its
/// count is the other's.
struct KeptMicrobatches {
  int untilInputGrad = 0, untilWeightGrad = 0;
};

/// What one rank keeps along its order, which the proof's memory cap bounds.
struct KeptByRank {
  /// Of all its stages at once, each until the last of its gradients.
  int chunks = 0;
  std::map<int, KeptMicrobatches> stages; ///< by stage
};

/// Of an order that verifySchedule accepts, or of one of the kind without the
/// actions that have nothing to do.
KeptByRank keptMicrobatches(const std::vector<Step> &order);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_KEPTMICROBATCHES_H
