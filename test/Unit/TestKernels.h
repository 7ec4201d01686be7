//===- TestKernels.h - Kernel objects compiled in a test ------------------===//
//
// Turns a few lines of C into the kernel object of a plan.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_TESTKERNELS_H
#define PARTOPT_TEST_UNIT_TESTKERNELS_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace partopt::test {

/// Compiles `source` (C) to a shared object with the given symbols.
std::unique_ptr<plan::KernelObjectT>
compileKernels(const std::string &source,
               const std::vector<std::string> &symbols);

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_TESTKERNELS_H
