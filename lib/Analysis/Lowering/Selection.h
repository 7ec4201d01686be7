// Exchanges of candidates between shards, and reductions that choose.

#ifndef PARTOPT_LIB_ANALYSIS_LOWERING_SELECTION_H
#define PARTOPT_LIB_ANALYSIS_LOWERING_SELECTION_H

#include "ModelHelpers.h"

namespace partopt::lowering {

/// A value of all devices along `axes`, joined along `dim`.
mlir::Value allGather(LocalContext &context, mlir::Value value,
                      llvm::ArrayRef<AxisRef> axes, int64_t dim,
                      llvm::StringRef why);

/// True for a body that takes each result from one of its two sides, as an
/// argmax does: an initial value that takes part more than once does no harm,
/// and partial results combine by the body itself.
bool isSelection(mlir::Region &body);

/// `op` with reduced dimensions split over `axes`.
mlir::FailureOr<Values> splitSelection(stablehlo::ReduceOp op,
                                       LocalContext &context,
                                       llvm::ArrayRef<AxisRef> axes);

} // namespace partopt::lowering

#endif // PARTOPT_LIB_ANALYSIS_LOWERING_SELECTION_H
