//===- IndexingOps.h - reading and writing parts of a tensor *- C++ -*-===//
//
// Slices, gather and scatter: see IndexingOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_INDEXINGOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_INDEXINGOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/IndexingOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_INDEXINGOPS_H
