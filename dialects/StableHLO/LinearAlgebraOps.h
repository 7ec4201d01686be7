//===- LinearAlgebraOps.h - products, convolutions, solvers -*- C++ -*-===//
//
// Contractions, transforms and random numbers: see LinearAlgebraOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/LinearAlgebraOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_LINEARALGEBRAOPS_H
