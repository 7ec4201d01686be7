// --schedule, --stages and what --strategy pp needs beside them.

#ifndef PARTOPT_LIB_SUPPORT_PIPELINEOPTIONS_H
#define PARTOPT_LIB_SUPPORT_PIPELINEOPTIONS_H

#include "partopt/Support/CompileOptions.h"
#include "partopt/Support/OptionSet.h"

namespace partopt {

/// Sets `options.pipeline`; mesh, strategy and microbatches are known.
llvm::Error parsePipeline(const OptionSet &set, CompileOptions &options);

} // namespace partopt

#endif // PARTOPT_LIB_SUPPORT_PIPELINEOPTIONS_H
