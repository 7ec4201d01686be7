//===- StepCost.cpp - Estimated time of one op ----------------------------===//
//
// Bytes and operations at rough rates.
//
//===----------------------------------------------------------------------===//

#include "StepCost.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/LinearAlgebraOps.h"

#include "partopt/Analysis/Layers.h"
#include "partopt/Analysis/Layout.h"

using namespace mlir;
using namespace partopt;

/// One core of a server.
static constexpr int64_t kFlopsPerNs = 20;
static constexpr int64_t kMemoryBytesPerNs = 10;

int64_t partopt::tensorBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += tensorBytes(tensor);
  return bytes;
}

int64_t partopt::estimateNanoseconds(Operation *op, const LinkCost &link) {
  if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op))
    return int64_t(1e9 * link.seconds(double(collective.getPayloadBytes())));
  int64_t time =
      (tensorBytes(op->getOperandTypes()) + tensorBytes(op->getResultTypes())) /
      kMemoryBytesPerNs;
  if (isa<stablehlo::DotGeneralOp>(op))
    time += opFlops(op) / kFlopsPerNs;
  return time;
}
