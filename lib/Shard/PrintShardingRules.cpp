// partopt-print-sharding-rules: attaches every op's rule as text.

#include "partopt/Analysis/ShardingRuleAttr.h"
#include "partopt/Shard/Passes.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_PRINTSHARDINGRULES
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {
struct PrintShardingRulesPass
    : partopt::impl::PrintShardingRulesBase<PrintShardingRulesPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (op->getNumOperands() == 0 || op->getNumResults() == 0)
        return;
      if (std::optional<ShardingRule> rule = getShardingRule(op))
        op->setAttr(sdy::kShardingRuleAttr, toAttr(op->getContext(), *rule));
    });
  }
};
} // namespace
