// Passes of the stage Shard: they find a sharding for every value.

#ifndef PARTOPT_SHARD_PASSES
#define PARTOPT_SHARD_PASSES

include "mlir/Pass/PassBase.td"

def PrintShardingRules : Pass<"partopt-print-sharding-rules"> {
  let summary = "Attach the sharding rule of every op as `sdy.sharding_rule`";
  let description = [{
    For tests and debugging: what propagation and partitioning read, as text.
    Ops without rule, without operands or without results stay as they are.

    ```mlir
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ...
    ```
    becomes
    ```mlir
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      {sdy.sharding_rule = #sdy.op_sharding_rule<
         ([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>} : ...
    ```
  }];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

#endif // PARTOPT_SHARD_PASSES
