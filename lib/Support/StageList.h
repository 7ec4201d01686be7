// --stages, where it says more than a number.

#ifndef PARTOPT_LIB_SUPPORT_STAGELIST_H
#define PARTOPT_LIB_SUPPORT_STAGELIST_H

#include "partopt/Support/CompileOptions.h"

namespace partopt {

/// Sets `stages` and what they hold from "3,3,2" (layers of each), from
/// "layout:Ett|tttL" (the same, drawn), or from "at:REGEX,REGEX" (where each
/// later stage begins). Errors name the stage and what it may be.
llvm::Error parseStageList(llvm::StringRef text, PipelineOptions &pipeline);

} // namespace partopt

#endif // PARTOPT_LIB_SUPPORT_STAGELIST_H
