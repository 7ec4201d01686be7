// One rank's program of a pipeline, taken out of the program of all stages.

#ifndef PARTOPT_LIB_STAGE_RANKPROGRAM_H
#define PARTOPT_LIB_STAGE_RANKPROGRAM_H

#include "StageHomes.h"

namespace partopt {

/// Makes a function of `rank`'s ops behind `func`, in which each of the rank's
/// segments is a loop of its own, in the order of the chain. What one segment
/// makes another reads as it is: in the iteration of the same number. Values of
/// other ranks are received, and what they need is sent, over `axis`. Arguments
/// and results are those that the rank has (`partopt.argument`,
/// `partopt.result`: their numbers in `func`).
mlir::func::FuncOp makeRankProgram(mlir::func::FuncOp func,
                                   const StageHomes &homes, int64_t rank,
                                   comm::AxesAttr axis);

/// Writes on each argument and result its number, and on the function how many
/// results there are, where they do not say it: what `func` is made into has
/// others.
void numberSignature(mlir::func::FuncOp func);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_RANKPROGRAM_H
