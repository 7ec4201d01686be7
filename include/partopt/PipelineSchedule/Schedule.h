//===- Schedule.h - The order of every rank -------------------------------===//
//
// A schedule is data: what each rank does one after the other, in the terms of
// PyTorch's schedule files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_SCHEDULE_H
#define PARTOPT_PIPELINESCHEDULE_SCHEDULE_H

#include <optional>
#include <string>
#include <vector>

namespace partopt::pipeline {

enum class ActionKind : unsigned char {
  Forward,    ///< F
  InputGrad,  ///< I, after the next stage's input gradient
  WeightGrad, ///< W, after its I
  Backward    ///< B, both gradients in one
};

/// One stage's part of one microbatch.
struct Action {
  ActionKind kind = ActionKind::Forward;
  int stage = 0;
  int microbatch = 0;
};

/// What a rank does at one place of its order: an action, or two that overlap
/// (OVERLAP_F_B): they start when the inputs of both are there.
struct Step {
  Action action;
  std::optional<Action> overlapped;
};

/// Steps of each rank in program order. A step begins as soon as the one before
/// it has ended and its inputs are there.
struct Schedule {
  std::vector<std::vector<Step>> ranks;
};

bool operator==(const Action &a, const Action &b);
bool operator==(const Step &a, const Step &b);

/// "3F0": the stage, F, I, W or B, the microbatch.
std::string actionText(const Action &action);
/// The action's text, or "(0F3;3B1)" for an overlapped pair.
std::string stepText(const Step &step);
/// The steps of a rank between blanks.
std::string orderText(const std::vector<Step> &steps);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_SCHEDULE_H
