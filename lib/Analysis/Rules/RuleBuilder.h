// Building sharding rules: a rule starts with empty dimensions, gets its
// factors one by one, and ends with one factor for every dimension.

#ifndef PARTOPT_LIB_ANALYSIS_RULES_RULEBUILDER_H
#define PARTOPT_LIB_ANALYSIS_RULES_RULEBUILDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "partopt/Analysis/ShardingRule.h"

namespace partopt::rules {

/// "This tensor has no part in the factor."
inline constexpr int64_t kNone = -1;

/// Shape of a value, empty for tokens.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

/// Collects the factors of one op's rule.
class RuleBuilder {
public:
  /// Every dimension of every operand and result of `op` starts without factor.
  explicit RuleBuilder(mlir::Operation *op);

  /// Appends a factor to dimension `operandDims[i]` of operand i and
  /// `resultDims[i]` of result i, where not kNone; missing entries are kNone.
  Factor &add(llvm::ArrayRef<int64_t> operandDims,
              llvm::ArrayRef<int64_t> resultDims, int64_t size,
              FactorKind kind = FactorKind::PassThrough);

  /// One factor for the same dimension of every operand and result that is not
  /// a scalar.
  Factor &addPointwise(int64_t dim, int64_t size,
                       FactorKind kind = FactorKind::PassThrough);

  /// Gives every dimension that is still without factor a factor of its own:
  /// of size 1, which nothing can split.
  ShardingRule build();

private:
  ShardingRule rule;
};

/// A rule function as a model of ShardingRuleOpInterface.
template <ShardingRule (*function)(mlir::Operation *)>
struct RuleModel : ShardingRuleOpInterface::FallbackModel<RuleModel<function>> {
  ShardingRule getShardingRule(mlir::Operation *op) const {
    return function(op);
  }
};

/// Makes `function` the rule of the given ops.
template <ShardingRule (*function)(mlir::Operation *), typename... Ops>
void attach(mlir::MLIRContext *context) {
  (mlir::RegisteredOperationName::lookup(Ops::getOperationName(), context)
       ->template attachInterface<RuleModel<function>>(),
   ...);
}

// The groups of rules, one per file. Each attaches to the ops of a loaded
// dialect.
void attachElementwise(mlir::MLIRContext *context, mlir::Dialect *dialect);
void attachShapeRules(mlir::MLIRContext *context);
void attachSliceRules(mlir::MLIRContext *context);
void attachIndexingRules(mlir::MLIRContext *context);
void attachContractionRules(mlir::MLIRContext *context);
void attachReductionRules(mlir::MLIRContext *context);
void attachTopKRule(mlir::MLIRContext *context);
void attachSdyRules(mlir::MLIRContext *context);

} // namespace partopt::rules

#endif // PARTOPT_LIB_ANALYSIS_RULES_RULEBUILDER_H
