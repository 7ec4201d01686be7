//===- CollectiveOps.cpp - exchanges between devices --------------------===//
//
// Definitions only; VerifyCollectives.cpp checks the ops.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/CollectiveOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/CollectiveOps.cpp.inc"

void StableHLODialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/CollectiveOps.cpp.inc"
      >();
}
