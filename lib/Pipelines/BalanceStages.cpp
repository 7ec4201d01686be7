//===- BalanceStages.cpp - A stage cut whose ranks have room --------------===//
//
// See balanceStages in ChoosePipeline.h. The cut knows its own estimate of what
// stages need; how far a plan is from it shows in the plan, by which the next
// cut gets less.
//
//===----------------------------------------------------------------------===//

#include "ChoosePipeline.h"
#include "FinishPlan.h"

#include "partopt/PipelineSchedule/ChooseSchedule.h"
#include "partopt/PipelineSchedule/KeptMicrobatches.h"

#include <algorithm>

using namespace partopt;

/// By stage: the microbatches that the schedule keeps; for an order that is
/// still to be made as many as the caps leave to each of a rank's stages.
static std::vector<int64_t> keptOf(const CompileOptions &options) {
  const PipelineOptions &pipeline = options.pipeline;
  std::vector<int64_t> kept(size_t(pipeline.stages), 1);
  pipeline::ScheduleRequest request;
  request.name = pipeline.schedule;
  request.ranks = int(pipeline.ranks);
  request.microbatches = int(options.microbatches);
  request.stages = int(pipeline.stages);
  pipeline::ScheduleChoice choice;
  if (!readScheduleFile(request).empty() ||
      !chooseSchedule(request, choice).empty() || !choice.order)
    return kept;
  for (const auto &order : choice.order->ranks)
    for (const auto &[stage, most] : pipeline::keptMicrobatches(order).stages)
      kept[size_t(stage)] = most.untilWeightGrad;
  return kept;
}

/// Estimates may be too high: between what the cut was given and `tooMuch`, the
/// cut whose step is the shortest of those that fit.
static void loosen(BalancedStages &best, double tooMuch, TryPipeline compile) {
  constexpr int kMostTrials = 4;
  CompileOptions next = best.options;
  auto memory = double(best.options.pipeline.stageMemory);
  double step = best.step;
  for (int i = 0; i < kMostTrials; ++i) {
    double middle = (memory + tooMuch) / 2;
    next.pipeline.stageMemory = uint64_t(middle);
    CompileOutcome outcome = compile(next);
    bool fits = outcome.status == CompileStatus::Done && outcome.plan;
    (fits ? memory : tooMuch) = middle;
    if (!fits || predictStep(next, *outcome.plan) > step)
      continue;
    step = predictStep(next, *outcome.plan);
    best = BalancedStages{next, peakOf(*outcome.plan), step, true};
  }
}

std::optional<BalancedStages>
partopt::balanceStages(const CompileOptions &options, TryPipeline compile) {
  if (!options.deviceMemory || !options.pipeline.stageList.empty())
    return std::nullopt; // where the cut is, is the user's
  std::optional<BalancedStages> best;
  CompileOptions next = options;
  next.pipeline.kept = keptOf(options);
  uint64_t chunks = uint64_t(options.pipeline.stages / options.pipeline.ranks);
  uint64_t memory = options.deviceMemory / chunks;
  constexpr int kMostTrials = 6;
  // At least a part less each time, or the same cut may come again.
  constexpr double kMostPart = 0.92;
  double tooMuch = 2 * double(memory);
  for (int i = 0; i < kMostTrials; ++i) {
    next.pipeline.stageMemory = std::max<uint64_t>(memory, 1);
    CompileOutcome outcome = compile(next);
    if (!outcome.plan)
      break;
    uint64_t peak = peakOf(*outcome.plan);
    if (!best || peak < best->peak)
      best = BalancedStages{next, peak, predictStep(next, *outcome.plan),
                            outcome.status == CompileStatus::Done};
    if (best->fits) {
      loosen(*best, tooMuch, compile);
      break;
    }
    tooMuch = double(memory);
    double part = double(options.deviceMemory) / double(peak);
    memory = uint64_t(double(memory) * std::min(part, kMostPart));
  }
  return best;
}
