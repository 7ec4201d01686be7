// Collectives of the comm dialect by their names in a plan.

#ifndef PARTOPT_LIB_PLAN_COLLECTIVEKINDS_H
#define PARTOPT_LIB_PLAN_COLLECTIVEKINDS_H

#include "dialects/Plan/Plan.h"

namespace partopt {

/// Of a comm collective.
planir::CollectiveKind collectiveKindOf(mlir::Operation *op);

/// None where nothing is combined.
planir::Combiner combinerOf(mlir::Operation *op);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_COLLECTIVEKINDS_H
