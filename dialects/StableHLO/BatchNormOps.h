//===- BatchNormOps.h - normalisation over a batch -------------*- C++ -*-===//
//
// See BatchNormOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_BATCHNORMOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_BATCHNORMOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/BatchNormOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_BATCHNORMOPS_H
