//===- TrainingPlan.h - A step of data parallel training ------------------===//
//
// A plan written by hand with a product, kernels, and a collective beside one.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_TRAININGPLAN_H
#define PARTOPT_TEST_UNIT_TRAININGPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <memory>
#include <vector>

namespace partopt::test {

/// Data parallel: y = x.w per shard, then w += scale * all_reduce(y), where the
/// kernel "scale_add" takes (w, s) -> w'. Instructions: 0 gemm, 1 start,
/// 2 kernel beside it, 3 wait, 4 kernel.
std::unique_ptr<plan::PlanT> trainingPlan(uint32_t ranks);

/// One step of trainingPlan in a plain loop.
std::vector<float> trainStep(const std::vector<float> &w,
                             const std::vector<float> &x);

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_TRAININGPLAN_H
