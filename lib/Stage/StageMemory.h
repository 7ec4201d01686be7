// What stages hold and keep, for the cut.

#ifndef PARTOPT_LIB_STAGE_STAGEMEMORY_H
#define PARTOPT_LIB_STAGE_STAGEMEMORY_H

#include "PipelineBody.h"

#include "partopt/Search/CutChain.h"

namespace partopt {

/// Adds to the chain of forward ops what they hold (parameters, or rows of
/// stacked ones, with a gradient and optimizer state in the proportion that the
/// step has in all) and what they leave for the backward part of each
/// microbatch. Bytes per device, estimated: kernels keep less, messages and
/// what gradients pass through take more.
void addStageMemory(mlir::func::FuncOp func, const PipelineBody &body,
                    CutChainProblem &chain);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_STAGEMEMORY_H
