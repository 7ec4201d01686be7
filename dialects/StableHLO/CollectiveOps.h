//===- CollectiveOps.h - exchanges between devices ---------*- C++ -*-===//
//
// Collectives as a model writes them: see CollectiveOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_COLLECTIVEOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_COLLECTIVEOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/CollectiveOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_COLLECTIVEOPS_H
