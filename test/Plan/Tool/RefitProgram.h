//===- RefitProgram.h - Lifetimes and sizes of a changed program ----------===//
//
// What a compiler would write in and beside the instructions as they now are.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_PLAN_TOOL_REFITPROGRAM_H
#define PARTOPT_TEST_PLAN_TOOL_REFITPROGRAM_H

#include "partopt/Plan/PlanFormat_generated.h"

namespace partopt::test {

/// Every place where the operation itself names a buffer.
std::vector<uint32_t *> operandSlots(plan::InstructionT &instruction);

/// Makes the lists of reads and writes what the operation names.
void listTouches(plan::InstructionT &instruction);

/// Sets lifetimes from touches, the arena's size and the peak.
void refitProgram(plan::ProgramT &program);

} // namespace partopt::test

#endif // PARTOPT_TEST_PLAN_TOOL_REFITPROGRAM_H
