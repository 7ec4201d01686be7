//===- KeptMicrobatches.cpp - What an order keeps at once -----------------===//
//
// See KeptMicrobatches.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/KeptMicrobatches.h"

#include <algorithm>

namespace partopt::pipeline {

namespace {

/// What one stage keeps now, and at most.
struct StageCount {
  bool hasInputGrad = false, hasWeightGrad = false;
  int untilInputGrad = 0, untilWeightGrad = 0;
  KeptMicrobatches most;
};

class KeptCounter {
public:
  void look(const Action &action);
  void begin(const Action &action);
  void end(const Action &action);
  KeptByRank finish() const;

private:
  std::map<int, StageCount> stages;
  int kept = 0, mostKept = 0;
};

} // namespace

static bool makesInputGrad(const Action &action) {
  return action.kind == ActionKind::InputGrad ||
         action.kind == ActionKind::Backward;
}

static bool makesWeightGrad(const Action &action) {
  return action.kind == ActionKind::WeightGrad ||
         action.kind == ActionKind::Backward;
}

void KeptCounter::look(const Action &action) {
  StageCount &stage = stages[action.stage];
  stage.hasInputGrad |= makesInputGrad(action);
  stage.hasWeightGrad |= makesWeightGrad(action);
}

void KeptCounter::begin(const Action &action) {
  if (action.kind != ActionKind::Forward)
    return;
  StageCount &stage = stages[action.stage];
  KeptMicrobatches &most = stage.most;
  most.untilInputGrad = std::max(most.untilInputGrad, ++stage.untilInputGrad);
  most.untilWeightGrad =
      std::max(most.untilWeightGrad, ++stage.untilWeightGrad);
  mostKept = std::max(mostKept, ++kept);
}

void KeptCounter::end(const Action &action) {
  StageCount &stage = stages[action.stage];
  bool input = makesInputGrad(action), weight = makesWeightGrad(action);
  stage.untilInputGrad -= stage.hasInputGrad ? input : weight;
  bool isLast = stage.hasWeightGrad ? weight : input;
  stage.untilWeightGrad -= isLast;
  kept -= isLast;
}

KeptByRank KeptCounter::finish() const {
  KeptByRank result{mostKept, {}};
  for (const auto &[number, stage] : stages)
    result.stages[number] = stage.most;
  return result;
}

KeptByRank keptMicrobatches(const std::vector<Step> &order) {
  KeptCounter counter;
  auto forBoth = [&](const Step &step, auto take) {
    take(step.action);
    if (step.overlapped)
      take(*step.overlapped);
  };
  for (const Step &step : order)
    forBoth(step, [&](const Action &action) { counter.look(action); });
  for (const Step &step : order) {
    forBoth(step, [&](const Action &action) { counter.begin(action); });
    forBoth(step, [&](const Action &action) { counter.end(action); });
  }
  return counter.finish();
}

} // namespace partopt::pipeline
