// Ties the sharding rules of lib/Analysis/Rules to the ops of the dialects.

#ifndef PARTOPT_ANALYSIS_SHARDINGRULEMODELS_H
#define PARTOPT_ANALYSIS_SHARDINGRULEMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace partopt {

/// Attaches ShardingRuleOpInterface to the ops of stablehlo, chlo and sdy that
/// have a rule, when their dialect is loaded.
void registerShardingRuleModels(mlir::DialectRegistry &registry);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_SHARDINGRULEMODELS_H
