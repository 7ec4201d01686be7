// The interface that ties an op to its sharding rule. Implementations are
// external models in lib/Analysis, so that dialects stay free of analyses.

#ifndef PARTOPT_ANALYSIS_SHARDINGRULEINTERFACE
#define PARTOPT_ANALYSIS_SHARDINGRULEINTERFACE

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let description = [{
    Gives the op's one sharding rule in factors.
  }];
  let cppNamespace = "::partopt";
  let methods = [
    InterfaceMethod<"The op's sharding rule.", "::partopt::ShardingRule",
                    "getShardingRule">,
  ];
}

#endif // PARTOPT_ANALYSIS_SHARDINGRULEINTERFACE
