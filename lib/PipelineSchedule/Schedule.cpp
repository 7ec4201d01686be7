//===- Schedule.cpp - The order of every rank -----------------------------===//
//
// See Schedule.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

bool operator==(const Action &a, const Action &b) {
  return a.kind == b.kind && a.stage == b.stage && a.microbatch == b.microbatch;
}

bool operator==(const Step &a, const Step &b) {
  return a.action == b.action && a.overlapped == b.overlapped;
}

std::string actionText(const Action &action) {
  return std::to_string(action.stage) + "FIWB"[static_cast<int>(action.kind)] +
         std::to_string(action.microbatch);
}

std::string stepText(const Step &step) {
  if (!step.overlapped)
    return actionText(step.action);
  return "(" + actionText(step.action) + ";" + actionText(*step.overlapped) +
         ")";
}

std::string orderText(const std::vector<Step> &steps) {
  std::string text;
  for (const Step &step : steps)
    text += (text.empty() ? "" : " ") + stepText(step);
  return text;
}

} // namespace partopt::pipeline
