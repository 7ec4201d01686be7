//===- Problem.h - A pipeline that wants an order
//---------------------------===//
//
// The stages of a chain, where each runs, what each costs, how often. Free of
// MLIR, so that orders are made, proven and timed alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_PROBLEM_H
#define PARTOPT_PIPELINESCHEDULE_PROBLEM_H

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace partopt::pipeline {

/// Seconds, or any other unit, of one stage and one microbatch.
struct StageTimes {
  double forward = 1;
  double inputGrad = 1;  ///< the gradient that the stage before waits for
  double weightGrad = 1; ///< what only feeds accumulators

  /// Both gradients in one action.
  double backward() const { return inputGrad + weightGrad; }
};

/// Which rank runs a stage. Stages are numbered along the chain from 0.
class Placement {
public:
  Placement() = default;
  /// Stage s on rank stageRanks[s]; `ranks` of them in all.
  Placement(int ranks, std::vector<int> stageRanks);

  /// Chunk j of rank r is stage j * ranks + r.
  static Placement loop(int ranks, int chunks);
  /// Down and up again: rank r has the stages r and 2 * ranks - 1 - r.
  static Placement vee(int ranks);
  /// A chain of `ranks` stages that every rank holds two of: stage s runs on
  /// rank s for the first half of the microbatches (rounded up), and on rank
  /// ranks - 1 - s for the others, which go the other way.
  static Placement bidirectional(int ranks, int microbatches);

  int ranks() const { return rankCount; }
  int stages() const { return static_cast<int>(down.size()); }
  int rank(int stage, int microbatch) const {
    return microbatch < firstReversed ? down[stage] : up[stage];
  }
  /// Whether microbatches take two ways through the ranks.
  bool hasTwoWays() const { return !up.empty(); }
  /// The first microbatch that goes the other way.
  int firstOfOtherWay() const { return firstReversed; }
  /// Stages that a rank runs, of both ways; their number is its chunks.
  std::vector<std::vector<int>> stagesOfRanks() const;

private:
  int rankCount = 0;
  std::vector<int> down, up;
  int firstReversed = 1 << 30;
};

/// What an order is made for.
struct Problem {
  Placement placement;
  int microbatches = 1;
  std::vector<StageTimes> times; ///< by stage
  /// From the end of an action until its result is on another rank; it occupies
  /// neither rank.
  double latency = 0;
  /// Chunks whose forward a rank may have begun and whose weight gradient it
  /// has not finished.
  std::optional<int> memoryCap;
  /// The same of each rank, where ranks have room for different numbers; empty:
  /// memoryCap alone counts.
  std::vector<int> rankCaps;
  /// Inference: there are no gradients, and a chunk is kept only while it runs.
  bool forwardOnly = false;
  /// The part of the shorter of two overlapped actions that is hidden behind
  /// the longer one, from 0 (as long as one after the other) to 1.
  double overlapGain = 0;

  int ranks() const { return placement.ranks(); }
  int stages() const { return placement.stages(); }

  /// The chunks that `rank` has room for; absent: any number.
  std::optional<int> capOf(int rank) const {
    if (rankCaps.empty())
      return memoryCap;
    int own = rankCaps[static_cast<size_t>(rank)];
    return memoryCap ? std::min(own, *memoryCap) : own;
  }

  /// Latency of what `stage` sends to the next one; nothing within a rank.
  double transfer(int stage, int microbatch) const {
    bool stays = placement.rank(stage, microbatch) ==
                 placement.rank(stage + 1, microbatch);
    return stays ? 0 : latency;
  }

  /// Empty, or what is wrong: counts below 1, times or latency that are
  /// negative or not finite, a rank without a stage, a cap below 1, caps of
  /// another number of ranks.
  std::string check() const;
};

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_PROBLEM_H
