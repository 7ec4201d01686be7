//===- ChloOps.cpp - special functions and top_k --------------------------===//
//
// Set-up of the chlo dialect and the check of its one op with a shape rule.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/ShapeOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::chlo;

#include "dialects/StableHLO/ChloDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/StableHLO/ChloOps.cpp.inc"

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ChloOps.cpp.inc"
      >();
}

Operation *ChloDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<partopt::stablehlo::ConstantOp>(loc, elements);
}

void TopKOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValues(), "values");
  setName(getIndices(), "indices");
}

LogicalResult TopKOp::verify() {
  RankedTensorType operand = getOperand().getType();
  if (operand.getRank() == 0)
    return emitOpError() << "needs an operand of rank 1 or more, but got "
                         << operand;
  int64_t size = operand.getShape().back();
  int64_t k = getK();
  if (k < 0 || k > size)
    return emitOpError() << "k = " << k
                         << " is not within the last dimension's size " << size
                         << " of " << operand;
  SmallVector<int64_t> shape(operand.getShape());
  shape.back() = k;
  RankedTensorType values = operand.clone(shape);
  if (getValues().getType() != values)
    return emitOpError() << "values must have type " << values << ", but have "
                         << getValues().getType();
  auto indices =
      RankedTensorType::get(shape, IntegerType::get(getContext(), 32));
  if (getIndices().getType() != indices)
    return emitOpError() << "indices must have type " << indices
                         << ", but have " << getIndices().getType();
  return success();
}
