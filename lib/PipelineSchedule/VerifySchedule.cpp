//===- VerifySchedule.cpp - The proof of an order -------------------------===//
//
// Place and count of every segment first, so that the walk over the orders may
// trust them; then the walk; then memory.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/VerifySchedule.h"

#include "Dependences.h"

#include <algorithm>

namespace partopt::pipeline {

namespace {

/// Which results the orders make, each exactly once.
class SegmentCount {
public:
  explicit SegmentCount(const Problem &problem)
      : problem(problem),
        made(size_t(3) * problem.stages() * problem.microbatches) {}

  /// Empty, or what is wrong with the action at that place.
  std::string add(const Action &action, int rank);
  /// Empty, or which segment no order has.
  std::string checkAll() const;

private:
  bool wasMade(ResultKind kind, int stage, int microbatch) const {
    return made[index(kind, stage, microbatch)];
  }
  size_t index(ResultKind kind, int stage, int microbatch) const {
    return (size_t(kind) * problem.stages() + stage) * problem.microbatches +
           microbatch;
  }
  std::string make(ResultKind kind, const Action &action);

  const Problem &problem;
  std::vector<bool> made;
};

} // namespace

static std::string onRank(int rank) {
  return " on rank " + std::to_string(rank);
}

std::string SegmentCount::make(ResultKind kind, const Action &action) {
  size_t at = index(kind, action.stage, action.microbatch);
  if (made[at]) {
    const char *what[] = {"forward", "input gradient", "weight gradient"};
    return std::string("its ") + what[static_cast<int>(kind)] +
           " is in an order already";
  }
  made[at] = true;
  return "";
}

std::string SegmentCount::add(const Action &action, int rank) {
  int stage = action.stage, microbatch = action.microbatch;
  if (stage < 0 || stage >= problem.stages())
    return "there are stages 0 to " + std::to_string(problem.stages() - 1);
  if (microbatch < 0 || microbatch >= problem.microbatches)
    return "there are microbatches 0 to " +
           std::to_string(problem.microbatches - 1);
  int right = problem.placement.rank(stage, microbatch);
  if (right != rank)
    return "the segment belongs" + onRank(right);
  if (action.kind == ActionKind::Forward)
    return make(ResultKind::Activation, action);
  if (problem.forwardOnly)
    return "inference has forwards only";
  std::string wrong;
  if (action.kind != ActionKind::WeightGrad)
    wrong = make(ResultKind::InputGrad, action);
  if (wrong.empty() && action.kind != ActionKind::InputGrad)
    wrong = make(ResultKind::WeightGrad, action);
  return wrong;
}

std::string SegmentCount::checkAll() const {
  for (int stage = 0; stage < problem.stages(); ++stage)
    for (int microbatch = 0; microbatch < problem.microbatches; ++microbatch)
      for (ResultKind kind : {ResultKind::Activation, ResultKind::InputGrad,
                              ResultKind::WeightGrad}) {
        if (wasMade(kind, stage, microbatch) ||
            (problem.forwardOnly && kind != ResultKind::Activation))
          continue;
        return "no order has " + resultText({kind, stage, microbatch}) +
               (kind == ResultKind::Activation ? "" : " or a B in its place") +
               "; it belongs" +
               onRank(problem.placement.rank(stage, microbatch));
      }
  return "";
}

static std::string placeText(int rank, size_t position, const Step &step) {
  return "rank " + std::to_string(rank) + ", step " + std::to_string(position) +
         ", " + stepText(step) + ": ";
}

/// A pair runs as one, so neither may wait for the other.
static std::string checkPair(const Step &step) {
  if (!step.overlapped)
    return "";
  bool isForward = step.action.kind == ActionKind::Forward;
  bool otherIsForward = step.overlapped->kind == ActionKind::Forward;
  if (isForward == otherIsForward)
    return "a forward and a backward overlap, not two of a kind";
  if (step.action.stage == step.overlapped->stage &&
      step.action.microbatch == step.overlapped->microbatch)
    return "one waits for the other and cannot overlap with it";
  return "";
}

static std::string checkSegments(const Problem &problem,
                                 const Schedule &schedule) {
  SegmentCount segments(problem);
  for (int rank = 0; rank < problem.ranks(); ++rank) {
    const std::vector<Step> &order = schedule.ranks[rank];
    for (size_t position = 0; position < order.size(); ++position) {
      const Step &step = order[position];
      std::string wrong = checkPair(step);
      if (wrong.empty())
        wrong = segments.add(step.action, rank);
      if (wrong.empty() && step.overlapped)
        wrong = segments.add(*step.overlapped, rank);
      if (!wrong.empty())
        return placeText(rank, position, step) + wrong;
    }
  }
  return segments.checkAll();
}

/// The ranks that wait for each other, beginning with one that stands still.
static std::string cycleText(const Problem &problem, const Schedule &schedule,
                             const OrderWalk &walk) {
  int rank = 0;
  while (walk.position(rank) == schedule.ranks[rank].size())
    ++rank;
  auto nextOf = [&](int from) {
    Result input = walk.missing(from);
    return problem.placement.rank(input.stage, input.microbatch);
  };
  // After as many steps as there are ranks the chain is in its cycle.
  for (int i = 0; i < problem.ranks(); ++i)
    rank = nextOf(rank);
  std::string text;
  int first = rank;
  do {
    const Step &step = schedule.ranks[rank][walk.position(rank)];
    Result input = walk.missing(rank);
    int owner = nextOf(rank);
    text += (text.empty() ? "" : "; ") +
            placeText(rank, walk.position(rank), step) + "waits for " +
            resultText(input) +
            (owner == rank ? ", which comes later on the same rank"
                           : onRank(owner));
    rank = owner;
  } while (rank != first);
  return text;
}

static std::string checkMemory(const Problem &problem,
                               const Schedule &schedule) {
  int largest = 0, at = 0;
  for (int rank = 0; rank < problem.ranks(); ++rank) {
    int peak = peakOf(problem, schedule.ranks[rank]);
    if (peak > largest && peak > problem.capOf(rank).value_or(peak)) {
      largest = peak;
      at = rank;
    }
  }
  if (largest == 0)
    return "";
  return "rank " + std::to_string(at) + " keeps " + std::to_string(largest) +
         " chunks at its peak, and the memory cap is " +
         std::to_string(*problem.capOf(at)) +
         "; the smallest cap that this order fits is " +
         std::to_string(largest);
}

std::string verifySchedule(const Problem &problem, const Schedule &schedule) {
  std::string wrong = problem.check();
  if (!wrong.empty())
    return wrong;
  if (static_cast<int>(schedule.ranks.size()) != problem.ranks())
    return "there are orders of " + std::to_string(schedule.ranks.size()) +
           " ranks, and the pipeline has " + std::to_string(problem.ranks());
  wrong = checkSegments(problem, schedule);
  if (!wrong.empty())
    return wrong;
  OrderWalk walk(problem, schedule);
  walk.run();
  if (!walk.isComplete())
    return "the orders wait in a cycle: " + cycleText(problem, schedule, walk);
  return checkMemory(problem, schedule);
}

} // namespace partopt::pipeline
