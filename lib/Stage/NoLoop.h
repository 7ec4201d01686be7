// What is said of a step that has no loop over microbatches.

#ifndef PARTOPT_LIB_STAGE_NOLOOP_H
#define PARTOPT_LIB_STAGE_NOLOOP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

/// Fails with an error at the function, which names the arguments of unknown
/// role: they are likely what is missed.
mlir::LogicalResult errorNoLoop(mlir::func::FuncOp func);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_NOLOOP_H
