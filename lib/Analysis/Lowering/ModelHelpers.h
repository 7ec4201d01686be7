// What the local-lowering models share: how they attach, and small queries.

#ifndef PARTOPT_LIB_ANALYSIS_LOWERING_MODELHELPERS_H
#define PARTOPT_LIB_ANALYSIS_LOWERING_MODELHELPERS_H

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LocalLowering.h"

namespace partopt::lowering {

/// An external model of LocalLoweringOpInterface for `Op`.
template <typename Derived, typename Op>
struct Model : LocalLoweringOpInterface::ExternalModel<Derived, Op> {
  static void attach(mlir::MLIRContext *context) {
    Op::template attachInterface<Derived>(*context);
  }
};

using Values = llvm::SmallVector<mlir::Value, 1>;

/// Local operand `i` with the padding of every unevenly split Reduction factor
/// replaced by the identity of the factor's combiner.
mlir::Value maskedForSum(LocalContext &context, unsigned i);

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// The type of `value` with `size` elements along `dim`.
mlir::RankedTensorType resized(mlir::Value value, int64_t dim, int64_t size);

/// f16 overflows where f32 and bf16 do not, so products are not crossed in it.
bool crossesProducts(mlir::Operation *op, Combiner combiner);

/// All axes of the rule's split Reduction factors.
AxisList reductionAxes(const LocalContext &context);

void registerElementwise(mlir::DialectRegistry &registry);
void registerShape(mlir::DialectRegistry &registry);
void registerContraction(mlir::DialectRegistry &registry);
void registerIndexing(mlir::DialectRegistry &registry);
void registerOrdered(mlir::DialectRegistry &registry);
void registerWindows(mlir::DialectRegistry &registry);

} // namespace partopt::lowering

#endif // PARTOPT_LIB_ANALYSIS_LOWERING_MODELHELPERS_H
