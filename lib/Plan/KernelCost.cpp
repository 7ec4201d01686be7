//===- KernelCost.cpp - Arithmetic of a kernel ----------------------------===//
//
// Counts by trait and by regions, so that no list of ops is needed.
//
//===----------------------------------------------------------------------===//

#include "KernelCost.h"

#include "dialects/StableHLO/StableHLOBase.h"

using namespace mlir;
using namespace partopt;

static int64_t elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
}

int64_t partopt::kernelFlops(func::FuncOp kernel) {
  int64_t flops = 0;
  if (kernel.isExternal())
    return flops;
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasTrait<stablehlo::Elementwise>())
      flops += elements(op.getResult(0).getType());
    else if (op.getNumRegions() != 0 && op.getNumOperands() != 0)
      flops += elements(op.getOperand(0).getType());
  }
  return flops;
}
