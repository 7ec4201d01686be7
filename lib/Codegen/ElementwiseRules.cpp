// The part that all elementwise ops share: operands at the same coordinates
// (or at none, for splats), the scalar function, rounding to the element type.
#include "ElementwiseRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace partopt::codegen {

Value Scalars::constant(double value) const {
  return b.create<arith::ConstantOp>(loc, b.getFloatAttr(type(), value));
}

Value Scalars::integer(int64_t value) const {
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type(), value));
}

Value Scalars::pred(bool value) const {
  return b.create<arith::ConstantOp>(loc, b.getBoolAttr(value));
}

int64_t elementwisePrefix(Operation *op, unsigned operand) {
  int64_t rank = tensorOf(op->getResult(0)).getRank();
  int64_t operandRank = tensorOf(op->getOperand(operand)).getRank();
  return operandRank == rank ? rank : 0;
}

Value applyElementwise(ElementScope &scope, Operation *op, ArrayRef<Index> at,
                       ScalarFn fn) {
  SmallVector<Value, 4> operands;
  for (Value operand : op->getOperands()) {
    bool splat = tensorOf(operand).getRank() == 0;
    Value scalar = scope.element(operand, splat ? ArrayRef<Index>() : at);
    if (!scalar)
      return {};
    operands.push_back(scalar);
  }
  Type resultType = tensorOf(op->getResult(0)).getElementType();
  Scalars scalars{scope.builder, scope.loc, op,
                  tensorOf(op->getOperand(0)).getElementType(), resultType};
  Value result = fn(scalars, operands);
  if (!result) {
    op->emitError("'") << op->getName() << "' has no kernel for element type "
                       << scalars.operandType;
    return {};
  }
  return roundToElement(scope.builder, scope.loc, resultType, result);
}

void addElementwiseRules(RuleTable &table) {
  addArithmeticRules(table);
  addFunctionRules(table);
  addSpecialFunctionRules(table);
  addConversionRules(table);
  addComplexRules(table);
}

} // namespace partopt::codegen
