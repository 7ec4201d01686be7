//===- ReductionOps.cpp - ops that fold dimensions by a region ----------===//
//
// Definitions only; ReduceFormat.cpp has the text of a reduction.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ReductionOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/ReductionOps.cpp.inc"

void StableHLODialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ReductionOps.cpp.inc"
      >();
}
