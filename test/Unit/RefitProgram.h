//===- RefitProgram.h - Lifetimes and sizes of a program ------------------===//
//
// What a compiler would write beside the instructions as they are.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_REFITPROGRAM_H
#define PARTOPT_TEST_UNIT_REFITPROGRAM_H

#include "partopt/Plan/PlanFormat_generated.h"

namespace partopt::test {

/// Sets lifetimes from touches (arguments are kept), and from the buffers'
/// offsets the arena's size and the peak.
void refitProgram(plan::ProgramT &program);

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_REFITPROGRAM_H
