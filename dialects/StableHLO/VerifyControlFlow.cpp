//===- VerifyControlFlow.cpp - checks of loops, branches and barriers -----===//
#include "dialects/StableHLO/ControlFlowOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

LogicalResult WhileOp::verify() {
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  TypeRange types = getOperandTypes();
  if (failed(verifyRegion(*this, getCond(), "cond", types, pred)) ||
      failed(verifyRegion(*this, getBody(), "body", types, types)))
    return failure();
  return verifyTypes(*this, "results", getResultTypes(), types);
}

LogicalResult IfOp::verify() {
  if (failed(verifyRegion(*this, getTrueBranch(), "true_branch", {},
                          getResultTypes())))
    return failure();
  return verifyRegion(*this, getFalseBranch(), "false_branch", {},
                      getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty())
    return emitOpError() << "needs one branch or more";
  Type index = RankedTensorType::get({}, IntegerType::get(getContext(), 32));
  if (failed(verifyType(*this, "index", getIndex().getType(), index)))
    return failure();
  for (auto [number, branch] : llvm::enumerate(getBranches()))
    if (failed(verifyRegion(*this, branch, "branch " + std::to_string(number),
                            {}, getResultTypes())))
      return failure();
  return success();
}

LogicalResult OptimizationBarrierOp::verify() {
  return verifyTypes(*this, "results", getResultTypes(), getOperandTypes());
}
