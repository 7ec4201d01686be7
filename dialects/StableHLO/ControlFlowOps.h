//===- ControlFlowOps.h - loops, branches, barriers, calls --*- C++ -*-===//
//
// Control flow and calls: see ControlFlowOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_CONTROLFLOWOPS_H
#define PARTOPT_DIALECTS_STABLEHLO_CONTROLFLOWOPS_H

#include "dialects/StableHLO/StableHLOBase.h"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ControlFlowOps.h.inc"

#endif // PARTOPT_DIALECTS_STABLEHLO_CONTROLFLOWOPS_H
