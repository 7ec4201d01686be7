//===- RankOrder.h - Writing one rank's order -----------------------------===//
//
// The rules of schedules speak of "the next forward of chunk 1"; this counts
// what the next one is, and does nothing where none is left.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_RANKORDER_H
#define PARTOPT_LIB_PIPELINESCHEDULE_RANKORDER_H

#include "partopt/PipelineSchedule/NamedSchedules.h"

#include <algorithm>
#include <deque>

namespace partopt::pipeline {

/// A chunk of a rank: its stage, and the microbatches that pass it.
struct Chunk {
  int stage = 0;
  int firstMicrobatch = 0;
  int microbatches = 0;
};

class RankOrder {
public:
  explicit RankOrder(std::vector<Chunk> chunks)
      : chunks(std::move(chunks)), forwards(this->chunks.size()),
        backwards(this->chunks.size()) {}

  bool hasForward(int chunk) const {
    return forwards[chunk] < chunks[chunk].microbatches;
  }
  bool hasBackward(int chunk) const {
    return backwards[chunk] < chunks[chunk].microbatches;
  }

  void forward(int chunk) {
    if (hasForward(chunk))
      steps.push_back({nextForward(chunk), std::nullopt});
  }
  void backward(int chunk) {
    if (hasBackward(chunk))
      steps.push_back({nextBackward(chunk), std::nullopt});
  }
  /// Its weight gradient joins the queue.
  void inputGrad(int chunk) {
    if (!hasBackward(chunk))
      return;
    Action action = nextBackward(chunk);
    action.kind = ActionKind::InputGrad;
    steps.push_back({action, std::nullopt});
    action.kind = ActionKind::WeightGrad;
    weights.push_back(action);
  }
  bool hasWeightGrad() const { return !weights.empty(); }
  /// The weight gradient that has waited longest.
  void weightGrad() {
    if (weights.empty())
      return;
    steps.push_back({weights.front(), std::nullopt});
    weights.pop_front();
  }
  /// The same among those of one chunk.
  void weightGrad(int chunk) {
    auto isOfChunk = [&](const Action &action) {
      return action.stage == chunks[chunk].stage;
    };
    auto found = std::find_if(weights.begin(), weights.end(), isOfChunk);
    if (found == weights.end())
      return;
    steps.push_back({*found, std::nullopt});
    weights.erase(found);
  }
  void overlap(int forwardChunk, int backwardChunk) {
    Action forward = nextForward(forwardChunk);
    steps.push_back({forward, nextBackward(backwardChunk)});
  }

  std::vector<Step> take() { return std::move(steps); }

private:
  Action nextForward(int chunk) {
    return {ActionKind::Forward, chunks[chunk].stage,
            chunks[chunk].firstMicrobatch + forwards[chunk]++};
  }
  Action nextBackward(int chunk) {
    return {ActionKind::Backward, chunks[chunk].stage,
            chunks[chunk].firstMicrobatch + backwards[chunk]++};
  }

  std::vector<Chunk> chunks;
  std::vector<int> forwards, backwards; ///< by chunk: issued so far
  std::deque<Action> weights;
  std::vector<Step> steps;
};

/// --- The rules; `rank` is among shape.ranks. ---

/// Warm-up forwards, then one forward and one backward in turn.
std::vector<Step> gpipeOrder(const ScheduleShape &shape, int rank);
std::vector<Step> oneFOneBOrder(const ScheduleShape &shape, int rank);
std::vector<Step> eagerOneFOneBOrder(const ScheduleShape &shape, int rank);
std::vector<Step> interleavedOrder(const ScheduleShape &shape, int rank);
std::vector<Step> loopedBfsOrder(const ScheduleShape &shape, int rank);
std::vector<Step> zbH1Order(const ScheduleShape &shape, int rank);
std::vector<Step> zbH2Order(const ScheduleShape &shape, int rank);
std::vector<Step> interleavedZbOrder(const ScheduleShape &shape, int rank);
std::vector<Step> inferenceOrder(const ScheduleShape &shape, int rank);

/// Two chunks per rank, down and up.
std::vector<Step> zbVOrder(const ScheduleShape &shape, int rank);
Schedule vHalfSchedule(const ScheduleShape &shape);
Schedule vMinSchedule(const ScheduleShape &shape);

/// Two ways that meet.
std::vector<Step> dualPipeOrder(const ScheduleShape &shape, int rank);
std::vector<Step> dualPipeVOrder(const ScheduleShape &shape, int rank);

/// Microbatches that pass a chunk before the next one's turn, by PyTorch's rule
/// or as given.
int groupSizeOf(const ScheduleShape &shape);

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_RANKORDER_H
