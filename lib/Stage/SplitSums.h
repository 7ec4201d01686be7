// Gradients of one parameter that several stages use.

#ifndef PARTOPT_LIB_STAGE_SPLITSUMS_H
#define PARTOPT_LIB_STAGE_SPLITSUMS_H

#include "PipelineBody.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partopt {

/// What the loop adds up may be a sum of parts that different stages make, such
/// as the gradients of both uses of a tied table. Each such part gets an
/// accumulator of its own, and they are added behind the loop, so that a part
/// moves once, not in every microbatch. Returns how many were split; `body` is
/// stale then.
unsigned splitSums(PipelineBody &body,
                   llvm::function_ref<int64_t(mlir::Operation *)> stageOf);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_SPLITSUMS_H
