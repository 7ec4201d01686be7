//===- MutatePlan.h - One random fault in a plan --------------------------===//
//
// Faults as a compiler's mistake or an edit would make them: well-formed plans
// that say something else.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_PLAN_TOOL_MUTATEPLAN_H
#define PARTOPT_TEST_PLAN_TOOL_MUTATEPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <random>
#include <string>

namespace partopt::test {

/// The number of kinds of faults; `kind` below is less.
unsigned numMutations();
const char *mutationName(unsigned kind);

/// Makes one fault of `kind` in one of the plan's programs. With `repair`,
/// lifetimes, the arena's size and the peak are made to fit what the program
/// then says, so that only the fault itself can give it away. False when the
/// program has nothing of the kind.
bool mutatePlan(plan::PlanT &plan, unsigned kind, bool repair,
                std::mt19937 &random);

} // namespace partopt::test

#endif // PARTOPT_TEST_PLAN_TOOL_MUTATEPLAN_H
