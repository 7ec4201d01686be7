//===- ElementwiseOps.cpp - arithmetic, logic, selection ---------------===//
//
// Builders and result types of elementwise ops; VerifyElementwise.cpp checks
// them.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ElementwiseOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/ElementwiseOps.cpp.inc"

void StableHLODialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ElementwiseOps.cpp.inc"
      >();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &inferred) {
  if (operands.empty())
    return failure();
  auto operand = dyn_cast<RankedTensorType>(operands.front().getType());
  if (!operand)
    return failure();
  inferred.push_back(operand.clone(IntegerType::get(context, 1)));
  return success();
}

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                      Value rhs, ComparisonDirection direction,
                      ComparisonType type) {
  MLIRContext *context = builder.getContext();
  auto typeAttr = type == ComparisonType::NOTYPE
                      ? ComparisonTypeAttr()
                      : ComparisonTypeAttr::get(context, type);
  build(builder, state, lhs, rhs,
        ComparisonDirectionAttr::get(context, direction), typeAttr);
}
