// The part that all elementwise ops share: operands at the same coordinates
// (or at none, for splats), the scalar function, rounding to the element type.
#include "ElementwiseRules.h"
#include "FusionGraph.h"
#include "KernelPlan.h"

#include "dialects/StableHLO/StableHLO.h"
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

/// stablehlo.map: the computation on the operands' elements.
static Value mapElement(ElementScope &scope, Operation *op,
                        ArrayRef<Index> at) {
  SmallVector<Value> operands, out;
  for (Value operand : op->getOperands()) {
    operands.push_back(scope.element(operand, at));
    if (!operands.back())
      return {};
  }
  if (failed(evaluateRegion(scope, op->getRegion(0), operands, out)))
    return {};
  return out.front();
}

static OpRule mapRule(unsigned cost) {
  OpRule rule;
  rule.element = mapElement;
  rule.prefix = elementwisePrefix;
  rule.cost = cost;
  return rule;
}

/// The rule of a map that costs no more than to read its result again.
static const OpRule *cheapMap(Operation *op) {
  static const OpRule rule = mapRule(kCheapCost);
  unsigned cost = 0;
  for (Operation &inner : op->getRegion(0).front().without_terminator()) {
    const OpRule *innerRule = RuleTable::get().lookup(&inner);
    cost += innerRule ? innerRule->cost : kCheapCost;
  }
  return cost <= kCheapCost ? &rule : nullptr;
}

void addElementwiseRules(RuleTable &table) {
  addArithmeticRules(table);
  addFunctionRules(table);
  addSpecialFunctionRules(table);
  addConversionRules(table);
  addComplexRules(table);
  OpRule map = mapRule(kKeepCost + 1);
  map.special = cheapMap;
  table.add<stablehlo::MapOp>(map);
}

} // namespace partopt::codegen
