// Attaches every rule when its dialect is loaded.

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"
#include "partopt/Analysis/ShardingRuleModels.h"

using namespace mlir;
using namespace partopt;

void partopt::registerShardingRuleModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHLODialect *dialect) {
        rules::attachElementwise(context, dialect);
        rules::attachShapeRules(context);
        rules::attachSliceRules(context);
        rules::attachIndexingRules(context);
        rules::attachContractionRules(context);
        rules::attachReductionRules(context);
      });
  registry.addExtension(+[](MLIRContext *context, chlo::ChloDialect *dialect) {
    rules::attachElementwise(context, dialect);
    rules::attachTopKRule(context);
  });
  registry.addExtension(+[](MLIRContext *context, sdy::SdyDialect *) {
    rules::attachSdyRules(context);
  });
}
