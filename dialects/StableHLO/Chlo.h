//===- Chlo.h - special functions and top_k ---------------------*- C++ -*-===//
//
// The chlo dialect, see ChloOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_CHLO_H
#define PARTOPT_DIALECTS_STABLEHLO_CHLO_H

#include "dialects/StableHLO/StableHLOBase.h"

#include "dialects/StableHLO/ChloDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ChloOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_CHLO_H
