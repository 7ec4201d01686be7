//===- StepCost.cpp - Estimated time of one op ----------------------------===//

#include "StepCost.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Analysis/OpCost.h"

using namespace mlir;
using namespace partopt;

int64_t partopt::estimateNanoseconds(Operation *op, const LinkCost &link) {
  if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op))
    return int64_t(1e9 * link.seconds(double(collective.getPayloadBytes())));
  return opNanoseconds(op);
}
