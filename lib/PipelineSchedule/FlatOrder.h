//===- FlatOrder.h - Orders for the synthesis' inner loops ----------------===//
//
// The problem as tables over numbered ops, gradients always apart, and a timer
// that allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_FLATORDER_H
#define PARTOPT_LIB_PIPELINESCHEDULE_FLATORDER_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

#include <limits>

namespace partopt::pipeline {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A stage on a rank, with the microbatches that take this way.
struct FlatChunk {
  int stage = 0;
  int first = 0, count = 0; ///< microbatches
  int way = 0;              ///< 0 or 1
  double hold = 0; ///< the shortest time from a forward to its weight gradient
};

/// Op (kind * stages + stage) * microbatches + microbatch, kind in the order of
/// ActionKind.
struct FlatProblem {
  explicit FlatProblem(const Problem &problem);

  int id(ActionKind kind, int stage, int microbatch) const {
    return (static_cast<int>(kind) * stages + stage) * microbatches +
           microbatch;
  }
  ActionKind kindOf(int op) const {
    return static_cast<ActionKind>(op / (stages * microbatches));
  }
  Action actionOf(int op) const {
    return {kindOf(op), op / microbatches % stages, op % microbatches};
  }
  /// Chunks of `rank` that one microbatch passes, at most.
  int chunksOfMicrobatch(int rank) const;
  /// Lists with the same number order the same segments in another order.
  int listOf(int op) const { return op / microbatches; }

  int ranks, stages, microbatches, ways;
  std::vector<int> caps;                      ///< by rank, chunks that it keeps
  std::vector<std::vector<FlatChunk>> chunks; ///< by rank
  /// --- By op ---
  std::vector<double> duration;
  std::vector<int> rank;
  std::vector<int> input;    ///< the op of another stage that it needs, or -1;
                             ///< the last stage's gradient needs its forward
  std::vector<double> delay; ///< latency from that input
  std::vector<int> output;   ///< the op whose input it is, or -1
};

/// Ops of each rank in their order.
using FlatOrder = std::vector<std::vector<int>>;

/// Of a schedule of the problem; full backwards become I and W one behind the
/// other, pairs the forward and then the backward.
FlatOrder flatten(const FlatProblem &flat, const Schedule &schedule);
Schedule unflatten(const FlatProblem &flat, const FlatOrder &order);

/// The most chunks that a rank keeps along `ops`.
int peakOf(const FlatProblem &flat, const std::vector<int> &ops);

/// Times orders; end holds when each op has ended in the last one.
class FlatTimer {
public:
  explicit FlatTimer(const FlatProblem &flat);

  /// The makespan, or `never` where ranks wait for each other.
  double run(const FlatOrder &order);

  std::vector<double> end; ///< by op

private:
  const FlatProblem &flat;
  std::vector<size_t> position;
  std::vector<double> free;
  std::vector<int> runnable;
};

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_FLATORDER_H
