//===- Problem.cpp - A pipeline that wants an order -----------------------===//
//
// See Problem.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/Problem.h"

#include <cmath>

namespace partopt::pipeline {

Placement::Placement(int ranks, std::vector<int> stageRanks)
    : rankCount(ranks), down(std::move(stageRanks)) {}

Placement Placement::loop(int ranks, int chunks) {
  std::vector<int> stages;
  for (int stage = 0; stage < ranks * chunks; ++stage)
    stages.push_back(stage % ranks);
  return Placement(ranks, std::move(stages));
}

Placement Placement::vee(int ranks) {
  std::vector<int> stages;
  for (int stage = 0; stage < 2 * ranks; ++stage)
    stages.push_back(stage < ranks ? stage : 2 * ranks - 1 - stage);
  return Placement(ranks, std::move(stages));
}

Placement Placement::bidirectional(int ranks, int microbatches) {
  Placement placement = loop(ranks, 1);
  placement.up.assign(placement.down.rbegin(), placement.down.rend());
  placement.firstReversed = (microbatches + 1) / 2;
  return placement;
}

std::vector<std::vector<int>> Placement::stagesOfRanks() const {
  std::vector<std::vector<int>> result(rankCount);
  for (int stage = 0; stage < stages(); ++stage) {
    result[down[stage]].push_back(stage);
    if (hasTwoWays())
      result[up[stage]].push_back(stage);
  }
  return result;
}

static bool isTime(double value) { return std::isfinite(value) && value >= 0; }

std::string Problem::check() const {
  if (ranks() < 1)
    return "a pipeline has at least one rank";
  if (microbatches < 1)
    return "a pipeline has at least one microbatch, not " +
           std::to_string(microbatches);
  for (int stage = 0; stage < stages(); ++stage) {
    int rank = placement.rank(stage, 0);
    if (rank < 0 || rank >= ranks())
      return "stage " + std::to_string(stage) + " is placed on rank " +
             std::to_string(rank) + " of " + std::to_string(ranks());
  }
  std::vector<std::vector<int>> held = placement.stagesOfRanks();
  for (int rank = 0; rank < ranks(); ++rank)
    if (held[rank].empty())
      return "rank " + std::to_string(rank) + " has no stage";
  if (static_cast<int>(times.size()) != stages())
    return "there are times of " + std::to_string(times.size()) +
           " stages, and " + std::to_string(stages()) + " stages";
  for (const StageTimes &time : times)
    if (!isTime(time.forward) || !isTime(time.inputGrad) ||
        !isTime(time.weightGrad))
      return "a stage's times are finite and not negative";
  if (!isTime(latency))
    return "the latency is finite and not negative";
  if (!(overlapGain >= 0 && overlapGain <= 1))
    return "the gain of overlapped actions is from 0 to 1";
  if (memoryCap && *memoryCap < 1)
    return "the smallest memory cap is 1 chunk, not " +
           std::to_string(*memoryCap);
  if (!rankCaps.empty() && static_cast<int>(rankCaps.size()) != ranks())
    return "there are memory caps of " + std::to_string(rankCaps.size()) +
           " ranks, and the pipeline has " + std::to_string(ranks());
  for (int cap : rankCaps)
    if (cap < 1)
      return "the smallest memory cap is 1 chunk, not " + std::to_string(cap);
  return "";
}

} // namespace partopt::pipeline
