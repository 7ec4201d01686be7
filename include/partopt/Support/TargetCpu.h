// The processors that kernels of the host can be compiled for.

#ifndef PARTOPT_SUPPORT_TARGETCPU_H
#define PARTOPT_SUPPORT_TARGETCPU_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partopt {

/// Empty, or why code for this machine cannot be made for the processor `cpu`,
/// a name of LLVM or "native": it is unknown (with the nearest one), or has
/// another word size.
std::string checkTargetCpu(llvm::StringRef cpu);

} // namespace partopt

#endif // PARTOPT_SUPPORT_TARGETCPU_H
