//===- LongestReduction.cpp - How many terms the longest sum has ----------===//
//
// The tolerance of --check grows with it. Read from the ops' sharding rules,
// which name every reduced factor with its size.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Analysis/ShardingRule.h"

#include "mlir/IR/BuiltinOps.h"

uint64_t partopt::longestReduction(mlir::ModuleOp module) {
  int64_t longest = 1;
  module.walk([&](mlir::Operation *op) {
    std::optional<ShardingRule> rule = getShardingRule(op);
    if (!rule)
      return;
    int64_t terms = 1;
    for (const Factor &factor : rule->factors)
      if (factor.kind == FactorKind::Reduction)
        terms *= factor.size;
    longest = std::max(longest, terms);
  });
  return uint64_t(longest);
}
