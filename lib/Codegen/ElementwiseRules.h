// How a scalar function becomes the element rule of an elementwise op.
#ifndef PARTOPT_LIB_CODEGEN_ELEMENTWISERULES_H
#define PARTOPT_LIB_CODEGEN_ELEMENTWISERULES_H

#include "Rules.h"

namespace partopt::codegen {

/// Where a scalar function builds its code, and the element types it is for.
struct Scalars {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;
  mlir::Type operandType; ///< element type of operand 0
  mlir::Type resultType;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(operandType); }
  bool isBool() const { return operandType.isInteger(1); }
  bool isUnsigned() const {
    return isBool() || operandType.isUnsignedInteger();
  }
  mlir::Type type() const { return computeType(operandType); }
  mlir::Value constant(double value) const; ///< of type()
  mlir::Value integer(int64_t value) const; ///< of type()
  mlir::Value pred(bool value) const;

  template <typename Op, typename... Args>
  mlir::Value create(Args &&...args) const {
    return b.create<Op>(loc, std::forward<Args>(args)...);
  }
};

/// Result in compute form (not yet rounded) from operands in compute form;
/// null when the op is not supported for these types.
using ScalarFn = mlir::Value (*)(const Scalars &, mlir::ValueRange);

mlir::Value applyElementwise(ElementScope &scope, mlir::Operation *op,
                             llvm::ArrayRef<Index> at, ScalarFn fn);
int64_t elementwisePrefix(mlir::Operation *op, unsigned operand);

template <ScalarFn fn>
mlir::Value elementwiseElement(ElementScope &scope, mlir::Operation *op,
                               llvm::ArrayRef<Index> at) {
  return applyElementwise(scope, op, at, fn);
}

/// The rule of an elementwise op with a complex operand or result, which may be
/// one without functions; null for all other ops.
const OpRule *complexForm(mlir::Operation *op);

template <ScalarFn fn> OpRule elementwiseRule(unsigned cost = 1) {
  OpRule rule;
  rule.element = elementwiseElement<fn>;
  rule.special = complexForm;
  rule.prefix = elementwisePrefix;
  rule.cost = cost;
  return rule;
}

void addArithmeticRules(RuleTable &table);
void addFunctionRules(RuleTable &table);
void addSpecialFunctionRules(RuleTable &table);
void addConversionRules(RuleTable &table);
void addComplexRules(RuleTable &table);

/// stablehlo.convert between real types (not yet rounded).
mlir::Value convertScalar(const Scalars &scalars, mlir::ValueRange operand);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_ELEMENTWISERULES_H
