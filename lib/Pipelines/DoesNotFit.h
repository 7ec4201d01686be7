//===- DoesNotFit.h - A plan that needs too much memory ---------*- C++ -*-===//
//
// What is short, what it is used for, and what would help.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_DOESNOTFIT_H
#define PARTOPT_LIB_PIPELINES_DOESNOTFIT_H

#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Support/CompileOptions.h"

namespace partopt {

/// The program of the ranks that need most.
const plan::ProgramT &largestProgram(const plan::PlanT &plan);

/// Empty, or in what way the plan does not fit on options.deviceMemory.
std::string describeShortage(const CompileOptions &options,
                             const plan::PlanT &plan);

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_DOESNOTFIT_H
