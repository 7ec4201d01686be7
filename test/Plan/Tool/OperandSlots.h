//===- OperandSlots.h - Where an operation names buffers --------*- C++ -*-===//
//
// So that a fault can put another buffer in its place.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_PLAN_TOOL_OPERANDSLOTS_H
#define PARTOPT_TEST_PLAN_TOOL_OPERANDSLOTS_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <vector>

namespace partopt::test {

/// Every place where the operation itself names a buffer.
std::vector<uint32_t *> operandSlots(plan::InstructionT &instruction);

/// Makes the lists of reads and writes what the operation names.
void listTouches(plan::InstructionT &instruction);

} // namespace partopt::test

#endif // PARTOPT_TEST_PLAN_TOOL_OPERANDSLOTS_H
