//===- LongestReduction.cpp - How many terms the longest sum has ----------===//
//
// The tolerance of --check grows with it. Read from the ops' sharding rules,
// which name every reduced factor with its size.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Analysis/ShardingRule.h"

#include "mlir/IR/BuiltinOps.h"

using namespace partopt;

int64_t partopt::reductionTerms(mlir::Operation *op) {
  std::optional<ShardingRule> rule = getShardingRule(op);
  int64_t terms = 1;
  if (rule)
    for (const Factor &factor : rule->factors)
      if (factor.kind == FactorKind::Reduction)
        terms *= factor.size;
  return terms;
}

uint64_t partopt::longestReduction(mlir::ModuleOp module) {
  int64_t longest = 1;
  module.walk([&](mlir::Operation *op) {
    longest = std::max(longest, reductionTerms(op));
  });
  return uint64_t(longest);
}
