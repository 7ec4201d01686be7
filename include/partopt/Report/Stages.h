//===- Stages.h - The stages of a pipeline, and its bubble ----------------===//
//
// What a plan and its predicted step say of each stage.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_REPORT_STAGES_H
#define PARTOPT_REPORT_STAGES_H

#include "partopt/Plan/Segments.h"
#include "partopt/Plan/StashCount.h"
#include "partopt/Simulate/Timeline.h"

#include <string>
#include <vector>

namespace partopt::report {

struct Stage {
  int number = 0;
  size_t classIndex = 0;
  std::vector<std::string> layers; ///< of its parameters, in the model's order
  std::string source;              ///< the first line of its forward part
  double share = 0;                ///< of the time that all segments compute
  uint64_t parameterBytes =
      0; ///< per device; one that stages share counts once
  plan::Stash stash;
  plan::StageStash predicted; ///< what the order of its rank keeps
};

/// The stages of a pipeline, in their order; none of a plan without one.
/// Timelines are those of the entry's classes.
std::vector<Stage> stagesOf(const plan::PlanT &plan, size_t entry,
                            const std::vector<simulate::Timeline> &timelines);

/// What the order of a program's turns keeps of each stage, as
/// keptMicrobatches counts: predicted, and independent of the slots that the
/// plan gives.
plan::RankStash predictStash(const plan::PlanT &plan,
                             const plan::ProgramT &program);

/// The table of `explain --section stages`, "" without stages.
std::string stageTable(const plan::PlanT &plan, size_t entry,
                       const std::vector<simulate::Timeline> &timelines);

/// "layers.0, layers.1, layers.2 and 3 more"
std::string layersText(const Stage &stage);

/// The part of the time between its first and its last segment in which a rank
/// of the class waits for messages of other stages; 0 without segments. The
/// first segment begins when what it receives is there.
double idleFraction(const plan::PlanT &plan, const plan::ProgramT &program,
                    const simulate::Timeline &timeline);

/// idleFraction, as a mean over the ranks that have segments.
double bubbleFraction(const plan::PlanT &plan, size_t entry,
                      const std::vector<simulate::Timeline> &timelines);

} // namespace partopt::report

#endif // PARTOPT_REPORT_STAGES_H
