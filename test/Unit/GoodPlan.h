//===- GoodPlan.h - A plan that verifies ----------------------------------===//
//
// The plan that the verifier's tests break.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_GOODPLAN_H
#define PARTOPT_TEST_UNIT_GOODPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <memory>

namespace partopt::test {

// Buffers of the good plan, and its instructions.
enum { W, X, H, G, Partial, Reduced, Index, NewW };
enum { Dot, Gather, Start, Kernel, WaitGather, WaitStart, GroupIndex, Update };

/// w[8,4] (param, taken by the result), x[8@data,8]; h = x.w; an all_gather of
/// x in flight beside an all_reduce of h; the update reads both.
std::unique_ptr<plan::PlanT> goodPlan();

/// The only program of the first class.
plan::ProgramT &programOf(plan::PlanT &plan);

/// The collective of instruction `index`.
plan::CollectiveStartT &startOf(plan::ProgramT &program, size_t index);

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_GOODPLAN_H
