//===- PipelinePlan.h - A small pipeline as a plan ------------------------===//
//
// A chain of stages, one per rank of axis "pipe", that trains on microbatches
// in the order of a named schedule.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_PIPELINEPLAN_H
#define PARTOPT_TEST_UNIT_PIPELINEPLAN_H

#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/Plan/PlanFormat_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace partopt::test {

struct Pipeline {
  std::string schedule = "1f1b";
  uint32_t ranks = 2, microbatches = 4;
  uint32_t replicas = 1; ///< of the whole pipeline, over axis "data"
  uint32_t ahead = 1;
  uint64_t width = 4; ///< elements of a row, which is a microbatch
  /// What cost models count of each microbatch.
  uint64_t stageFlops = 0, backFlops = 0, weightFlops = 0;

  /// Whether both gradients are one segment.
  bool isFused() const { return schedule != "zb-h1"; }
  pipeline::Schedule order() const;
};

/// Stage s computes y = w x + x^2 of its parameter "arg s" and its rows. The
/// loss "out0" is half the sum of the squares of the last stage's y, and "out
/// s+1" is w - 0.1 dw, dw the sum over all rows, in place of w. Slots are as
/// few as the order of turns allows.
std::unique_ptr<plan::PlanT> pipelinePlan(const Pipeline &pipeline);

/// The buffers and loops of a rank's program, in their order.
namespace pipelined {
enum Loops : uint32_t { Forward, InputGrad, WeightGrad };
constexpr uint32_t input = 2; ///< the buffer of a stage's x
} // namespace pipelined

/// What a step of it computes: the loss, then the parameters.
std::vector<std::vector<float>>
pipelineStep(const Pipeline &pipeline, const std::vector<float> &rows,
             const std::vector<std::vector<float>> &parameters);

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_PIPELINEPLAN_H
