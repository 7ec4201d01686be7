//===- ElementwiseOps.h - one result element from one of each --*- C++ -*-===//
//
// Arithmetic, logic, comparison, selection, conversion: see ElementwiseOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_ELEMENTWISEOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_ELEMENTWISEOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ElementwiseOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_ELEMENTWISEOPS_H
