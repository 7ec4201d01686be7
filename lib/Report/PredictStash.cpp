//===- PredictStash.cpp - What an order of turns keeps --------------------===//
//
// The turns are read back as a schedule's actions, of which the schedule's own
// rule says how many microbatches are kept.
//
//===----------------------------------------------------------------------===//

#include "partopt/Report/Stages.h"

#include "partopt/PipelineSchedule/KeptMicrobatches.h"

#include <algorithm>
#include <map>

namespace partopt::report {

static pipeline::ActionKind kindOf(char action) {
  switch (action) {
  case 'F':
    return pipeline::ActionKind::Forward;
  case 'I':
    return pipeline::ActionKind::InputGrad;
  case 'W':
    return pipeline::ActionKind::WeightGrad;
  default:
    return pipeline::ActionKind::Backward;
  }
}

static std::vector<pipeline::Step>
orderOf(const plan::ProgramT &program,
        const std::vector<plan::Segment> &segments) {
  std::map<uint32_t, const plan::Segment *> byLoop;
  for (const plan::Segment &segment : segments)
    if (segment.stage >= 0)
      byLoop[segment.loop] = &segment;
  std::vector<pipeline::Step> order;
  for (const plan::Turn &turn : program.turns->turns)
    if (auto found = byLoop.find(turn.loop()); found != byLoop.end())
      order.push_back({{kindOf(found->second->action), found->second->stage,
                        static_cast<int>(turn.iteration())},
                       std::nullopt});
  return order;
}

plan::RankStash predictStash(const plan::PlanT &plan,
                             const plan::ProgramT &program) {
  plan::RankStash stash;
  std::vector<plan::Segment> segments = plan::segmentsOf(plan, program);
  if (segments.empty())
    return stash;
  pipeline::KeptByRank kept =
      pipeline::keptMicrobatches(orderOf(program, segments));
  stash.chunks = static_cast<uint32_t>(kept.chunks);
  for (const auto &[number, most] : kept.stages) {
    plan::StageStash &stage = stash.stages[number];
    for (const plan::StashValue &value :
         plan::stashOf(program, segments, number).values) {
      bool untilWeightGrad = std::any_of(
          value.readers.begin(), value.readers.end(),
          [&](size_t place) { return segments[place].action != 'I'; });
      auto microbatches = static_cast<uint32_t>(
          untilWeightGrad ? most.untilWeightGrad : most.untilInputGrad);
      stage.microbatches = std::max(stage.microbatches, microbatches);
      stage.bytes += program.buffers[value.buffer]->bytes * microbatches;
    }
  }
  return stash;
}

} // namespace partopt::report
