// Regions that use values from outside. Canonicalisation and CSE move constants
// out of the computations of reduce, sort and the like; lowering an op wants
// them inside again.
#ifndef PARTOPT_DIALECTS_STABLEHLO_CAPTURES_H
#define PARTOPT_DIALECTS_STABLEHLO_CAPTURES_H

#include "mlir/IR/Operation.h"

namespace partopt::stablehlo {

/// Gives the regions of `op` constants of their own for those that they use
/// from outside. Fails, with an error at the op, where one uses anything else.
/// Control flow, which may use all values around it, stays as it is.
mlir::LogicalResult ownConstants(mlir::Operation *op);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_CAPTURES_H
