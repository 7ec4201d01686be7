// Passes of the partition stage: from one device's view with shardings to one
// device's program.

#ifndef PARTOPT_PARTITION_PASSES
#define PARTOPT_PARTITION_PASSES

include "mlir/Pass/PassBase.td"

def TapValuesPass : Pass<"partopt-tap-values", "mlir::func::FuncOp"> {
  let summary = "Adds values of the program as results, for --check=values";
  let description = [{
    Requires the propagated program. The values that the program's ops compute,
    in program order (`partopt.place`, where ops have been moved since) and
    without those that propagation copies at will (constants, broadcasts of
    scalars), are numbered from 0; those in
    [first, last) become results named `value N` with the attribute
    `partopt.tap`.

    A tap does not count as a use: the partition stage decides as it does
    without it, takes the value in a layout that the program has it in, and
    reduces a value that is only there unreduced for the tap alone.
  }];
  let constructor = "partopt::createTapValuesPass()";
  let options = [
    Option<"first", "first", "uint64_t", "0", "The first value">,
    Option<"last", "last", "uint64_t", "~0ull", "The one after the last value">
  ];
}

def DeferFactorsPass : Pass<"partopt-defer-factors", "mlir::func::FuncOp"> {
  let summary = "Factors that are known after all microbatches apply there";
  let description = [{
    Requires the local program of one device and one iteration. Where iterations
    multiply or divide by one number that a sum over the whole batch decides, and
    that parameters have a part in (the root of a mean square), and everything
    made of the product up to sums over the iterations is linear in it, the sums
    are scaled instead, after the loop. In f16 nothing is deferred.

    ```mlir
    %a = comm.all_reduce {"micro"=4} sum %p : (tensor<f32>) -> tensor<f32>
    %f = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %y = stablehlo.multiply %x, %f : tensor<8xf32>
    %g = comm.all_reduce {"micro"=4} sum %y : (tensor<8xf32>) -> tensor<8xf32>
    // becomes
    %s = comm.all_reduce {"micro"=4} sum %x : (tensor<8xf32>) -> tensor<8xf32>
    %g = stablehlo.multiply %s, %f : tensor<8xf32>
    ```
  }];
  let constructor = "partopt::createDeferFactorsPass()";
  let dependentDialects = ["partopt::stablehlo::StableHLODialect"];
  let statistics = [Statistic<"numFactors", "factors", "Factors deferred">];
}

def RegatherActivationsPass
    : Pass<"partopt-regather-activations", "mlir::func::FuncOp"> {
  let summary = "Activations are gathered again for the backward pass";
  let description = [{
    Requires the local program of one device, before loops in time are formed.
    What the forward part gathers over `axis` for a product and the backward part
    reads as well (the sequence is split between products) is gathered a second time in front of its first reader there (`partopt.regather`): its
    shard is kept instead of the whole, for one more gather. What is made of the
    gathered value alone, like a transpose, is made anew. Gathers of stored
    parameters are `partopt-reshard-after-forward`'s.

    ```mlir
    %x = comm.all_gather {"model"=4} dim = 0 %s : (tensor<2x8xf32>) -> tensor<8x8xf32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // in the backward part
    %a = comm.all_gather {"model"=4} dim = 0 %s {partopt.phase = "backward", partopt.regather} : (tensor<2x8xf32>) -> tensor<8x8xf32>
    %g = stablehlo.dot_general %a, %d, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let constructor = "partopt::createRegatherActivationsPass()";
  let options = [Option<"axis", "axis", "std::string", /*default=*/"\"model\"",
                        "The mesh axis">];
  let statistics = [Statistic<"numGatheredAgain", "gathered-again",
                              "Activations gathered again">];
}

def MicroStatisticsPass
    : Pass<"partopt-micro-statistics", "mlir::func::FuncOp"> {
  let summary = "Statistics of a batch over each microbatch";
  let description = [{
    Requires the local program of one device and one iteration; does something
    where the module says `partopt.batch_statistics = "micro"`. A sum over an axis
    in time that iterations read again, and that a parameter has a part in, is
    estimated by every iteration from its own part: as many times that part as
    there are iterations. What reads the sum outside of iterations (gradients,
    running statistics) gets the sum over all of them; a value that is only
    reported, and computed from such sums, is computed in every iteration and
    averaged, so that a loss is the mean of the microbatches' losses. Sums that
    batch arguments alone decide (counts of tokens) stay exact.
  }];
  let constructor = "partopt::createMicroStatisticsPass()";
  let dependentDialects = ["partopt::comm::CommDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"numStatistics", "statistics", "Sums over microbatches">,
    Statistic<"numAverages", "averages", "Results that are averaged">,
  ];
}

def ShardAccumulatorsPass
    : Pass<"partopt-shard-accumulators", "mlir::func::FuncOp"> {
  let summary = "Scatters gradients of stored shards in every microbatch";
  let description = [{
    Requires the local program of one device and one iteration. A sum over an axis
    in time that devices scatter among them is accumulated in whole, and scattered
    once, unless the module says `partopt.accumulate = "sharded"`: then each
    iteration scatters its part, and shards are accumulated. That sends as often
    as there are iterations, and holds a shard instead of the whole.

    Both prices are noted for the report.
  }];
  let constructor = "partopt::createShardAccumulatorsPass()";
  let dependentDialects = ["partopt::comm::CommDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"numSharded", "sharded", "Accumulators that are shards">,
  ];
}

def FormTimeLoopsPass : Pass<"partopt-form-time-loops", "mlir::func::FuncOp"> {
  let summary = "Turns axes in time into loops";
  let description = [{
    Requires the local program of one device and one iteration, with `comm.shard`
    expanded. What depends on the iteration goes between `comm.loop_begin` and
    `comm.loop_end`; what does not is computed once, before or after. An
    all_reduce over the axis becomes an accumulation: bf16 and f16 sums are kept
    in f32. Batch arguments and results hold all of a device's rows, of which an
    iteration reads or writes its slice.

    A sum over the batch that the iterations read again needs a loop of its own
    before: what it depends on has to be batch arguments only (counts of
    tokens). One that parameters have a part in (batch statistics) is refused,
    with its place in the model, unless `partopt.batch_statistics` is "exact":
    then there are as many loops as sums follow each other, and what a later one
    needs of an earlier one is kept for all iterations, or computed again where
    that is light.

    Gathers of stored parameters that forward and backward part have of their own
    stay in the loop: whole parameters are not kept from use to use.
  }];
  let constructor = "partopt::createFormTimeLoopsPass()";
  let dependentDialects = ["partopt::comm::CommDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"numLoops", "loops", "Number of loops">,
    Statistic<"numAccumulators", "accumulators", "Values carried">,
  ];
}

def FormRingPass : Pass<"partopt-form-ring", "mlir::func::FuncOp"> {
  let summary = "Attention block by block, with keys going around the devices";
  let description = [{
    Requires the local program of one device. All gathers with one value of
    `partopt.ring` make the keys and values of one attention whole. What has the
    dimension of keys from there on is computed for one device's block of keys at
    a time instead, in a loop of as many steps as there are devices: `comm.permute`
    passes the block on while it is used.

    Forward, the softmax keeps a running maximum, and sums that are scaled when it
    grows. Masks are made from the positions of the block. Backward, the scores are
    made again from the saved maximum and sum of exponentials; the sum over keys in
    the softmax's gradient becomes one over the width of values (output times its
    gradient); gradients of keys and values go around with their block. Another sum
    over keys that gradients need takes a loop of its own before.

    Where every key behind its query is masked (`isCausal`), and twice as many parts
    as there are devices divide the positions, blocks are halved and moved to zigzag
    order before and back after, so that each device computes 2n + 1 of 4n pairs of
    halves.

    Guarantees: no value with the dimension of all keys is left of this attention,
    unless an argument or a value from elsewhere has it (a mask).

    ```mlir
    %k = comm.all_gather {"context"=4} dim = 1 %block {partopt.ring = {attention = 0 : i64}} : (tensor<8x4x4x8xf32>) -> tensor<8x16x4x8xf32>
    %s = stablehlo.dot_general %q, %k, ... : (...) -> tensor<8x4x4x16xf32>
    // becomes
    %i, %now, ... = comm.loop_begin "context" = 3 (%block, ...) : ...
    %next = comm.permute {"context"=4} to = [1, 2, 3, 0] %now : (tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xf32>
    %s = stablehlo.dot_general %q, %now, ... : (...) -> tensor<8x4x4x4xf32>
    ...
    %last, ... = comm.loop_end (%next, ...) : ...
    ```

    An attention of another form (scores that something else reads, numbers at
    random in them, a second softmax) keeps its gathers, with a note that says why;
    with `required` in the mark it is refused.
  }];
  let constructor = "partopt::createFormRingPass()";
  let dependentDialects = ["partopt::comm::CommDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [Statistic<"numRings", "rings", "Attentions in rings">];
}

def InsertReshardsPass : Pass<"partopt-insert-reshards", "mlir::ModuleOp"> {
  let summary = "Makes every change of layout an explicit sdy.reshard";
  let description = [{
    Requires: one sharding per value (partopt's propagation). Chooses for every
    op which axes split which factor, by the bytes that its operands and results
    would move; decides by a minimum cut how far partial sums stay unreduced;
    then states each op's own layout as its `sdy.sharding` (with `unreduced`
    axes) and inserts `sdy.reshard` wherever a use needs another one.

    Guarantees: each op's operands and results follow its sharding rule exactly;
    only `sdy.reshard` changes layouts.

    A dimension that an op cannot keep split is gathered, with a warning that
    names op, location and bytes.
  }];
  let constructor = "partopt::createInsertReshardsPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"numReshards", "reshards", "Number of reshards inserted">,
    Statistic<"numDeferred", "deferred", "Number of ops that values pass unreduced">,
  ];
}

def PartitionPass : Pass<"partopt-partition", "mlir::ModuleOp"> {
  let summary = "Rewrites the program to one device's shapes with comm ops";
  let description = [{
    Requires: partopt-insert-reshards. Every op becomes what it is on one
    device's shards, every `sdy.reshard` the cheapest sequence of collectives
    that the search finds. Arguments and results keep their `sdy.sharding` and
    get `partopt.global_type`.

    Guarantees: no sdy op but the mesh and no global shape is left in the
    function's body.
  }];
  let constructor = "partopt::createPartitionPass()";
  let dependentDialects = ["partopt::comm::CommDialect",
                           "partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"numCollectives", "collectives", "Number of collectives">,
    Statistic<"payloadBytes", "payload-bytes", "Payload bytes per device">,
  ];
}

def VerifyPartitionedPass : Pass<"partopt-verify-partitioned", "mlir::ModuleOp"> {
  let summary = "Checks the exit contract of the partition stage";
  let description = [{
    Fails when an sdy op other than the mesh, a call or a value without a static
    shape is left, or when an argument or result does not have the local type
    that its sharding gives it.
  }];
  let constructor = "partopt::createVerifyPartitionedPass()";
}

def ExpandShardPass : Pass<"partopt-expand-shard", "mlir::func::FuncOp"> {
  let summary = "Writes comm.shard as a dynamic slice at the device's offset";
  let description = [{
    An uneven dimension is padded with zeros first, so that the last devices'
    slices stay inside.
  }];
  let constructor = "partopt::createExpandShardPass()";
  let dependentDialects = ["partopt::stablehlo::StableHLODialect",
                           "partopt::comm::CommDialect"];
}

#endif // PARTOPT_PARTITION_PASSES
