// Loops within the loop over microbatches as one op each, while the chain is
// cut and divided.

#ifndef PARTOPT_LIB_STAGE_NESTLOOPS_H
#define PARTOPT_LIB_STAGE_NESTLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

/// Every loop that lies in another becomes a `comm.loop`.
void nestInnerLoops(mlir::func::FuncOp func);

/// Every `comm.loop` becomes what is between comm.loop_begin and comm.loop_end.
void flattenLoops(mlir::func::FuncOp func);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_NESTLOOPS_H
