//===- StableHLO.h - everything of the stablehlo dialect --------*- C++ -*-===//
//
// Umbrella header; a file that needs one family of ops includes that one.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_STABLEHLO_H
#define PARTOPT_DIALECTS_STABLEHLO_STABLEHLO_H

#include "dialects/StableHLO/BatchNormOps.h"
#include "dialects/StableHLO/CollectiveOps.h"
#include "dialects/StableHLO/ControlFlowOps.h"
#include "dialects/StableHLO/ElementwiseOps.h"
#include "dialects/StableHLO/IndexingOps.h"
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/ReductionOps.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "dialects/StableHLO/StableHLOBase.h"

namespace partopt::stablehlo {

/// Registers the dialects `stablehlo` and `chlo`.
void registerStableHLODialects(mlir::DialectRegistry &registry);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_STABLEHLO_H
