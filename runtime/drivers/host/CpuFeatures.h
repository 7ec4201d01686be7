//===- CpuFeatures.h - What this processor can run ------------------------===//
//
// A kernel object names the CPU level and features that it was compiled for;
// running it on less would end in an illegal instruction, so it is refused.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_HOST_CPUFEATURES_H
#define PARTOPT_RUNTIME_DRIVERS_HOST_CPUFEATURES_H

#include <string>
#include <vector>

namespace partopt::rt {

/// The parts of `cpu` (x86-64, x86-64-v2, -v3, -v4; other names add nothing)
/// and `features` (LLVM's names, "+x" or "x"; "-x" asks for nothing) that this
/// processor or its operating system lacks, by name. Unknown features count as
/// missing.
std::vector<std::string>
missingCpuFeatures(const std::string &cpu,
                   const std::vector<std::string> &features);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_HOST_CPUFEATURES_H
