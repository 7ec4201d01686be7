//===- Combine.h - Element-wise combiners ---------------------------------===//
//
// What a reduction does to two elements, for every type and combiner that a
// plan may name. Narrow floats are combined in f32 and rounded once per step.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_COLLECTIVES_COMBINE_H
#define PARTOPT_RUNTIME_COLLECTIVES_COMBINE_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>

namespace partopt::rt {

/// accumulator[i] = accumulator[i] o incoming[i] for i < count. The arrays do
/// not overlap and are aligned to their element, or not at all.
using CombineFunction = void (*)(void *accumulator, const void *incoming,
                                 uint64_t count);

/// Null for a combination that the plan verifier refuses. Integers wrap; i1
/// sums like or and multiplies like and; min and max give NaN when either is
/// NaN and order -0 below +0.
CombineFunction combineFunction(plan::ElementType type,
                                plan::Combiner combiner);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_COLLECTIVES_COMBINE_H
