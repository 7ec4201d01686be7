//===- BatchNormOps.cpp - normalisation over a batch ----------------------===//
//
// All three ops have the same shapes: one tensor with a feature dimension, and
// one number per feature for everything else.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/BatchNormOps.h"
#include "dialects/StableHLO/Verification.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/BatchNormOps.cpp.inc"

void StableHLODialect::registerBatchNormOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/BatchNormOps.cpp.inc"
      >();
}

/// \p whole are like the operand, \p perFeature have one element per feature.
static LogicalResult verifyBatchNorm(Operation *op, int64_t feature,
                                     ValueRange whole, ValueRange perFeature) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (feature < 0 || feature >= type.getRank())
    return op->emitOpError() << "feature_index = " << feature
                             << " must be a dimension of " << type;
  for (Value value : whole)
    if (failed(
            verifyType(op, "a tensor like the operand", value.getType(), type)))
      return failure();
  auto features =
      RankedTensorType::get({type.getDimSize(feature)}, type.getElementType());
  for (Value value : perFeature)
    if (failed(verifyType(op, "a tensor of one element per feature",
                          value.getType(), features)))
      return failure();
  return success();
}

LogicalResult BatchNormInferenceOp::verify() {
  return verifyBatchNorm(*this, getFeatureIndex(), {getResult()},
                         {getScale(), getOffset(), getMean(), getVariance()});
}

LogicalResult BatchNormTrainingOp::verify() {
  return verifyBatchNorm(
      *this, getFeatureIndex(), {getOutput()},
      {getScale(), getOffset(), getBatchMean(), getBatchVar()});
}

LogicalResult BatchNormGradOp::verify() {
  return verifyBatchNorm(
      *this, getFeatureIndex(), {getGradOutput(), getGradOperand()},
      {getScale(), getMean(), getVariance(), getGradScale(), getGradOffset()});
}
