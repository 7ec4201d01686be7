//===- ShapeOps.h - constants and movements of dimensions ---*- C++ -*-===//
//
// Constants, broadcasts, transposes, padding: see ShapeOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_SHAPEOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_SHAPEOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ShapeOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_SHAPEOPS_H
