//===- LinearAlgebraOps.cpp - products, convolutions, transforms --------===//
//
// Names of results; VerifyDot.cpp and VerifyConvolution.cpp check the ops.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/LinearAlgebraOps.cpp.inc"

void StableHLODialect::registerLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/LinearAlgebraOps.cpp.inc"
      >();
}

void RngBitGeneratorOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOutputState(), "output_state");
  setName(getOutput(), "output");
}
