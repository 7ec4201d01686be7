// Random faults in loops, and in what pipelines do with them.

#ifndef PARTOPT_TEST_PLAN_TOOL_MUTATELOOPS_H
#define PARTOPT_TEST_PLAN_TOOL_MUTATELOOPS_H

#include "Picker.h"

namespace partopt::test {

/// Each returns whether the program has a place for its fault.
bool otherLoop(Picker &pick);
/// Another order of the segments' iterations, or one too few or too many.
bool otherTurns(Picker &pick);
/// A send or receive of another channel, peer, stream, event or way.
bool otherMessage(Picker &pick);
/// Places for fewer iterations, or closer to each other.
bool otherSlots(Picker &pick);

} // namespace partopt::test

#endif // PARTOPT_TEST_PLAN_TOOL_MUTATELOOPS_H
