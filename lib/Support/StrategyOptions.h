// The part of CompileOptions that --strategy and --axis decide.

#ifndef PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H
#define PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H

#include "partopt/Support/CompileOptions.h"

namespace partopt {

bool isAxisName(llvm::StringRef name);

/// Reads options.strategy.name and --axis, and sees that they go together.
llvm::Error parseStrategy(const OptionSet &set, CompileOptions &options);

} // namespace partopt

#endif // PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H
