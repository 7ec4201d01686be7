// Between a sharding rule and its text form, `#sdy.op_sharding_rule`.

#ifndef PARTOPT_ANALYSIS_SHARDINGRULEATTR_H
#define PARTOPT_ANALYSIS_SHARDINGRULEATTR_H

#include "dialects/Sdy/Sdy.h"
#include "partopt/Analysis/ShardingRule.h"

namespace partopt {

/// The text form. Combiners have no text in sdy and are lost.
sdy::OpShardingRuleAttr toAttr(mlir::MLIRContext *context,
                               const ShardingRule &rule);

/// The rule behind the text. Its reductions are sums.
ShardingRule fromAttr(sdy::OpShardingRuleAttr attr);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_SHARDINGRULEATTR_H
