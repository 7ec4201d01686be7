//===- StrategyOptions.h - The words of --strategy, and --axis ------------===//

#ifndef PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H
#define PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H

#include "partopt/Support/CompileOptions.h"

namespace partopt {

/// Fills in `options.strategy`, whose name is set, and `options.axes`.
llvm::Error parseStrategy(const OptionSet &set, CompileOptions &options);

/// Letters, digits and underscores, no digit in front.
bool isAxisName(llvm::StringRef name);

} // namespace partopt

#endif // PARTOPT_LIB_SUPPORT_STRATEGYOPTIONS_H
