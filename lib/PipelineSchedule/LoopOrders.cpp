//===- LoopOrders.cpp - Orders of stages that go round the ranks ----------===//
//
// GPipe, 1F1B, interleaving, breadth first and the zero-bubble schedules of a
// loop are one rule: so many forwards to warm up, then a forward and a backward
// in turn, weight gradients at once or so many backwards later.
//
//===----------------------------------------------------------------------===//

#include "RankOrder.h"

namespace partopt::pipeline {

namespace {

/// One rank's order in the rule's terms.
struct TurnRule {
  int warmup = 0; ///< forwards before the first backward
  /// Backwards between an input gradient and its weight gradient; absent: both
  /// in one action.
  std::optional<int> weightDelay;
  std::vector<Action> forwards;  ///< in their order
  std::vector<Action> backwards; ///< the same, kind Backward
};

} // namespace

static std::vector<Step> takeTurns(const TurnRule &rule) {
  std::vector<Step> steps;
  auto add = [&](Action action, ActionKind kind) {
    action.kind = kind;
    steps.push_back({action, std::nullopt});
  };
  int count = static_cast<int>(rule.forwards.size());
  int warmup = std::min(rule.warmup, count);
  for (int k = 0; k < warmup; ++k)
    add(rule.forwards[k], ActionKind::Forward);
  ActionKind backward =
      rule.weightDelay ? ActionKind::InputGrad : ActionKind::Backward;
  for (int k = 0; k < count; ++k) {
    if (warmup + k < count)
      add(rule.forwards[warmup + k], ActionKind::Forward);
    add(rule.backwards[k], backward);
    if (rule.weightDelay && k >= *rule.weightDelay)
      add(rule.backwards[k - *rule.weightDelay], ActionKind::WeightGrad);
  }
  if (rule.weightDelay)
    for (int k = std::max(0, count - *rule.weightDelay); k < count; ++k)
      add(rule.backwards[k], ActionKind::WeightGrad);
  return steps;
}

int groupSizeOf(const ScheduleShape &shape) {
  int rounds = std::max(1, shape.microbatches / shape.ranks);
  return shape.groupSize.value_or(shape.microbatches / rounds);
}

/// Chunk after chunk for each group of microbatches; backwards take the chunks
/// from the last to the first.
static TurnRule groupedRule(const ScheduleShape &shape, int rank, int group) {
  TurnRule rule;
  int chunks = shape.chunks.value_or(1), count = shape.microbatches;
  auto stageOf = [&](int chunk) { return chunk * shape.ranks + rank; };
  for (int first = 0; first < count; first += group)
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int i = first; i < std::min(count, first + group); ++i) {
        rule.forwards.push_back({ActionKind::Forward, stageOf(chunk), i});
        rule.backwards.push_back(
            {ActionKind::Backward, stageOf(chunks - 1 - chunk), i});
      }
  return rule;
}

static std::vector<Step> ungrouped(const ScheduleShape &shape, int rank,
                                   int warmup,
                                   std::optional<int> weightDelay = {}) {
  TurnRule rule = groupedRule(shape, rank, shape.microbatches);
  rule.warmup = warmup;
  rule.weightDelay = weightDelay;
  return takeTurns(rule);
}

/// Ranks between this one and the last.
static int behind(const ScheduleShape &shape, int rank) {
  return shape.ranks - 1 - rank;
}

std::vector<Step> gpipeOrder(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, shape.microbatches);
}

std::vector<Step> oneFOneBOrder(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, behind(shape, rank));
}

std::vector<Step> eagerOneFOneBOrder(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, 2 * behind(shape, rank));
}

std::vector<Step> zbH1Order(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, behind(shape, rank), rank);
}

std::vector<Step> zbH2Order(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, 2 * behind(shape, rank), 2 * rank);
}

std::vector<Step> loopedBfsOrder(const ScheduleShape &shape, int rank) {
  return ungrouped(shape, rank, shape.microbatches * *shape.chunks);
}

std::vector<Step> interleavedOrder(const ScheduleShape &shape, int rank) {
  int group = groupSizeOf(shape);
  TurnRule rule = groupedRule(shape, rank, group);
  rule.warmup =
      (*shape.chunks - 1) * group + 2 * behind(shape, rank) + shape.extraWarmup;
  return takeTurns(rule);
}

std::vector<Step> interleavedZbOrder(const ScheduleShape &shape, int rank) {
  int group = groupSizeOf(shape);
  TurnRule rule = groupedRule(shape, rank, group);
  rule.warmup = (*shape.chunks - 1) * group + behind(shape, rank);
  rule.weightDelay = rank;
  return takeTurns(rule);
}

std::vector<Step> inferenceOrder(const ScheduleShape &shape, int rank) {
  // Groups of as many as there are ranks come round just when the first rank
  // is free again.
  std::vector<Step> steps;
  for (const Action &action : groupedRule(shape, rank, shape.ranks).forwards)
    steps.push_back({action, std::nullopt});
  return steps;
}

} // namespace partopt::pipeline
