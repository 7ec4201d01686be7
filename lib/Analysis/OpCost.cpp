//===- OpCost.cpp - Estimated time of one op ------------------------------===//

#include "partopt/Analysis/OpCost.h"

#include "dialects/StableHLO/LinearAlgebraOps.h"

#include "partopt/Analysis/Layers.h"
#include "partopt/Analysis/Layout.h"

using namespace mlir;
using namespace partopt;

static constexpr int64_t kFlopsPerNs = 20;
static constexpr int64_t kMemoryBytesPerNs = 10;

int64_t partopt::tensorBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += tensorBytes(tensor);
  return bytes;
}

int64_t partopt::opNanoseconds(Operation *op) {
  int64_t time =
      (tensorBytes(op->getOperandTypes()) + tensorBytes(op->getResultTypes())) /
      kMemoryBytesPerNs;
  if (isa<stablehlo::DotGeneralOp>(op))
    time += opFlops(op) / kFlopsPerNs;
  return time;
}
