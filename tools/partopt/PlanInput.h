// What the driver says of plans, made or given.

#ifndef PARTOPT_TOOLS_PARTOPT_PLANINPUT_H
#define PARTOPT_TOOLS_PARTOPT_PLANINPUT_H

#include "partopt/Plan/PlanFile.h"
#include "partopt/Support/OptionSet.h"

namespace partopt::driver {

/// An error for options of the compilation, which a plan file has behind it.
llvm::Error refuseOnPlan(const OptionSet &set);

/// Warns of a mesh that nothing uses, which is hardly what the user wants.
void warnOfUnusedMesh(const plan::PlanT &plan);

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_PLANINPUT_H
