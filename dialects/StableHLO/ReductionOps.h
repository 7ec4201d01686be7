//===- ReductionOps.h - ops that fold dimensions by a region *- C++ -*-===//
//
// Reductions, windows and sorting: see ReductionOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_REDUCTIONOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_REDUCTIONOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ReductionOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_REDUCTIONOPS_H
