// Recipes: each only adds annotations (shardings, groups, options) that can be
// printed, edited and fed back in.

#ifndef PARTOPT_STRATEGY_PASSES
#define PARTOPT_STRATEGY_PASSES

include "mlir/Pass/PassBase.td"

def ApplyDataParallelPass
    : Pass<"partopt-apply-data-parallel", "mlir::ModuleOp"> {
  let summary = "Data parallel: batch over an axis, the rest replicated or stored in shards";
  let description = [{
    Requires argument roles (partopt-assign-roles) and a mesh with the axis.
    Shards dimension 0 of every batch argument over the axis (and the replica
    axis, outermost) and replicates running state, keys and scalars. Results
    that are an argument's next value get its sharding, other results are left to
    propagation. By `zero-stage`:

    | stage | strategy | stored in shards over the axis |
    | --- | --- | --- |
    | 0 | ddp | nothing |
    | 1, 2 | zero1, zero2 | optimizer state; one step reduces each gradient once, so the two differ only where gradients are accumulated |
    | 3 | zero3, hsdp (with a replica axis) | optimizer state and parameters |

    A tensor is cut along its first dimension that the devices divide, else along
    the one with the least padding; one without a dimension of a row per device
    stays replicated. Parameters in shards are marked as storage
    (`partopt.storage_override = {data = "keep"}`): uses get a gathered copy.
    What a recipe before computes with in parts over the axis stays as it is.

    Refuses: an argument of unknown role, a model without batch arguments, a
    batch with fewer rows than the axis has devices, a file that already has
    shardings on its arguments, a model without anything to store in shards.
  }];
  let constructor = "partopt::createApplyDataParallelPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"data\"", "The mesh axis of batch and shards">,
    Option<"replicaAxis", "replica-axis", "std::string", "\"\"",
           "The mesh axis that the batch is split over besides, without shards">,
    Option<"innerAxis", "inner-axis", "std::string", "\"\"",
           "The mesh axis that splits a device's rows further, without shards">,
    Option<"zeroStage", "zero-stage", "int64_t", "0", "What is stored in shards">,
    Option<"name", "name", "std::string", "\"ddp\"", "The strategy's name in messages">,
  ];
}

def ApplyTensorParallelPass
    : Pass<"partopt-apply-tensor-parallel", "mlir::ModuleOp"> {
  let summary = "Tensor parallel: weights split along the dimensions that cost least";
  let description = [{
    Requires argument roles and a mesh with the axis. Dimensions of the model are
    found from sharding rules (dimensions that an op's factor joins are one).
    Those of parameters, without the batch, are candidates: each splits the
    products that have it as a factor, and sends what the products that contract
    it leave unreduced. Candidates that one op has exclude each other. Chosen are
    those that split most for the fewest bytes: for a transformer the heads and
    the inner dimension of each MLP (a column split and the row split that takes
    its result), and the vocabulary.

    Adds the axis to those dimensions of parameters, optimizer and running state;
    other arguments keep what they have, or are replicated. Parameters say that they
    are computed with in parts (`partopt.storage_override = {model = "compute"}`):
    the partitioner does not gather them, even where that would send less.

    With `sequence`, the partial sums of activations that this leaves are
    constrained to be split along a dimension beside the batch's rows, the one
    that costs least between the products: norms and residual sums then work on
    parts of the sequence. What products make in parts of the split dimension is
    constrained to be so, and their activations without that dimension to be
    whole. Parameters with a row per position, and their state, are split as the
    sequence is.

    Refuses: an argument of unknown role, a file that uses the axis already, a
    model where no candidate is worth its bytes.
  }];
  let constructor = "partopt::createApplyTensorParallelPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"model\"", "The mesh axis of the split">,
    Option<"flopsPerByte", "flops-per-byte", "double", "8",
           "Operations that a byte sent has to split at least">,
    Option<"sequence", "sequence", "bool", "false",
           "Split the sequence where partial sums would be all-reduced">,
    Option<"name", "name", "std::string", "\"tp\"", "The strategy's name in messages">,
  ];
}

def ApplyExpertParallelPass
    : Pass<"partopt-apply-expert-parallel", "mlir::ModuleOp"> {
  let summary = "Expert parallel: the experts of each MoE layer over an axis";
  let description = [{
    Requires argument roles and a mesh with the axis. Experts are found from
    products of tokens with weights (values of parameters alone) that share a
    dimension which a router made: something chooses along it (top_k, a softmax,
    a one-hot), or the tokens were moved there or repeated for it. Heads, which
    weights share with activations too, come from a projection and are none.

    Splits over the axis: the experts' dimension of every parameter, optimizer
    and running state that products, biases and updates of a layer have; tokens
    in front of the experts' products, and what these make.

    ```mlir
    %y = stablehlo.dot_general %sent, %w, batching_dims = [0] x [0], ... : (tensor<8x4x6x32xf32>, tensor<8x32x64xf32>) -> ...
    // becomes
    %t = sdy.sharding_constraint %sent <@mesh, [{"expert", ?}, ...]>
    %y = stablehlo.dot_general %t, %w, ...
    ```

    With `batch`, the rows of batch arguments are split over the axis too; else
    another recipe splits them.

    Refuses: an argument of unknown role, a file that uses the axis already, a
    model without experts, a layer with fewer experts than devices.
  }];
  let constructor = "partopt::createApplyExpertParallelPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"expert\"", "The mesh axis of the experts">,
    Option<"batch", "batch", "bool", "true", "Split the batch over the axis">,
    Option<"name", "name", "std::string", "\"ep\"", "The strategy's name in messages">,
  ];
}

def ApplyContextParallelPass
    : Pass<"partopt-apply-context-parallel", "mlir::ModuleOp"> {
  let summary = "Context parallel: the sequence over an axis, through attention too";
  let description = [{
    Requires argument roles and a mesh with the axis. Attention is found from its
    softmax: the largest of a product of two activations is looked for along its
    keys; what has both the queries' and the keys' dimension from there on, and
    the products that make or use it, are one attention, forward and backward.

    Adds the axis to the sequence's dimension of batch arguments and of parameters
    that have a row per position. Into and out of each attention, by `form`:

    | form | queries | keys, values | outputs and gradients |
    | --- | --- | --- | --- |
    | ulysses | by heads | by heads | from heads to positions |
    | gather | by positions | whole | sums over parts of the queries to positions |
    | ring | by positions | whole, marked `partopt.ring` for partopt-form-ring | as gather |

    `auto` takes the one that sends less; which one, and why, is a note of the
    plan. `auto:ring` is auto that has come to a ring for memory, and takes gather where
    an attention has no such form. What a ring computes anew itself is marked
    `partopt.keep`. Axes that other recipes split heads over stay in front.

    ```mlir
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], ... : (tensor<8x16x4x8xf32>, tensor<8x16x4x8xf32>) -> tensor<8x4x16x16xf32>
    // in form gather
    %1 = sdy.sharding_constraint %q <@mesh, [{?}, {"context", ?}, ...]>
    %2 = sdy.sharding_constraint %k <@mesh, [{?}, {"context", ?}, ...]>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, ...], replicated={"context"}>
    %s = stablehlo.dot_general %1, %3, ...
    ```

    Refuses: an argument of unknown role, a file that uses the axis already, a
    model without attention, a sequence shorter than the devices, and form ulysses
    where heads are fewer than the devices.
  }];
  let constructor = "partopt::createApplyContextParallelPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"context\"", "The mesh axis of the sequence">,
    Option<"form", "form", "std::string", "\"auto\"", "auto, ring, ulysses or gather">,
    Option<"name", "name", "std::string", "\"cp\"", "The strategy's name in messages">,
  ];
}

def CountExpertLoadPass
    : Pass<"partopt-count-expert-load", "mlir::ModuleOp"> {
  let summary = "Results that say how many tokens reached each expert";
  let description = [{
    Finds experts as partopt-apply-expert-parallel does, and adds a result
    `expert_load[i]` per layer, a number per expert: rows of the tokens in front
    of the layer's first product that are not all zero. Places that stayed empty
    and what masks took out are zero, so this counts what arrived, whichever way
    it was sent; a token of zeros only is not seen.

    ```mlir
    %load = ... : tensor<8xi32>
    return %y, %load : tensor<...>, tensor<8xi32>  // partopt.name = "expert_load[0]"
    ```

    Refuses a model without experts.
  }];
  let constructor = "partopt::createCountExpertLoadPass()";
  let dependentDialects = ["partopt::stablehlo::StableHLODialect"];
}

def ApplyMicrobatchesPass
    : Pass<"partopt-apply-microbatches", "mlir::ModuleOp"> {
  let summary = "The batch in parts that every device computes one after the other";
  let description = [{
    Requires argument roles. Declares an axis in time on the module and names,
    for every batch argument, the dimension that it cuts:

    ```mlir
    module attributes {partopt.time_axes = {micro = 4 : i64}} {
      func.func @main(%x: tensor<32x8xf32> {partopt.role = "batch",
                                            partopt.time_dim = 0 : i64}) ...
    ```

    A device's microbatches are slices of its own rows; partopt-propagate-time
    spreads the axis from there.

    Refuses: a model without batch arguments; fewer rows on a device than
    microbatches; an axis name that the mesh has already.

    `partopt.batch_statistics` and `partopt.accumulate` on the module say what
    partopt-form-time-loops and partopt-shard-accumulators are to do.

    With `major`, `partopt.time_major` on the module makes the axis the outermost of
    its dimension within the program: what exchanges rows for experts over an axis
    in space then stays within a microbatch. The rows of a microbatch are the same.
    Refuses rows that microbatches and devices do not divide.
  }];
  let constructor = "partopt::createApplyMicrobatchesPass()";
  let options = [
    Option<"axis", "axis", "std::string", "\"micro\"", "The axis' name">,
    Option<"count", "count", "int64_t", "0", "Its iterations; 0: does nothing">,
    Option<"batchStatistics", "batch-statistics", "std::string", "\"\"",
           "exact or micro; empty: refused where microbatches need them">,
    Option<"groups", "groups", "int64_t", "1",
           "Runs of rows, a microbatch having a part of each">,
    Option<"accumulate", "accumulate", "std::string", "\"full\"",
           "Gradients of stored shards: full or sharded">,
    Option<"major", "major", "bool", "false",
           "Rows are numbered by microbatch, then by device">,
  ];
}

def ChooseRecomputePass
    : Pass<"partopt-choose-recompute", "mlir::ModuleOp"> {
  let summary = "Which values the backward part computes again";
  let description = [{
    Requires argument roles. Marks forward ops (`partopt.recompute`) whose results
    the backward part is to compute anew from those that are kept:

    - `layer`: everything within a layer that repeats, what layers leave to each
      other is kept; elsewhere as `selective`;
    - `selective`: what takes little work for its memory: elementwise ops, changes
      of shape, and products of activations that make more than they read
      (attention's scores). Products with parameters and sums are kept, and so is
      what parameters alone decide.

    ```mlir
    %y = stablehlo.tanh %x {partopt.recompute} : tensor<32x8xf32>
    ```

    Refuses: a program without a backward part; `layer` where no layers repeat.
  }];
  let constructor = "partopt::createChooseRecomputePass()";
  let options = [
    Option<"mode", "mode", "std::string", "\"selective\"",
           "layer or selective">,
  ];
}

def AssignWrapUnitsPass
    : Pass<"partopt-assign-wrap-units", "mlir::ModuleOp"> {
  let summary = "Which parameters are gathered, freed and reduced together";
  let description = [{
    Requires argument roles. Gives every parameter the name of its wrap unit: the
    gathers of a unit's stored parameters become one collective, and so do the
    reduce-scatters of its gradients. By `wrap`: a unit per layer (`auto`,
    `layer`); with `bytes`, parameters in forward order up to that size; else
    `wrap` is a regular expression, and parameters in whose names it matches the
    same text (in its first group, if it has one) are a unit, the others `root`.

    ```mlir
    %w: tensor<32x8xf32> {partopt.layer = "layers.0", partopt.name = "params['layers'][0]['w']",
                          partopt.role = "param", partopt.wrap_unit = "layers.0"}
    ```

    A `partopt.wrap_unit` that is there stays. Does nothing without a mesh.
    Refuses: an expression that matches no parameter.
  }];
  let options = [
    Option<"wrap", "wrap", "std::string", "\"auto\"",
           "auto, layer, none, or a regular expression">,
    Option<"bytes", "bytes", "int64_t", "0", "Size of a unit instead; 0: not by size">,
  ];
}

def LocalBatchStatisticsPass
    : Pass<"partopt-local-batch-statistics", "mlir::ModuleOp"> {
  let summary = "Batch statistics of each device's own rows";
  let description = [{
    Requires argument roles and a mesh. Sums over the batch that keep one number
    per feature and are spread over the batch again (the statistics of batch
    norms, and what their gradients sum) become sums over groups of rows, one
    group per device of the axis; counts that they are divided by become those
    of a group. Other sums, such as gradients and losses, stay over the whole
    batch. Running statistics and results take the first group's.

    ```mlir
    %m = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, ...) -> tensor<4xf32>
    // over 2 devices
    %g = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<2x4x4xf32>
    %m = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x4x4xf32>, ...) -> tensor<2x4xf32>
    ```

    Refuses: a batch that the devices do not divide; an op between a statistic
    and its use that has no form for groups; a statistic that goes into a
    parameter.
  }];
  let constructor = "partopt::createLocalBatchStatisticsPass()";
  let dependentDialects = ["partopt::stablehlo::StableHLODialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"data\"", "The mesh axis of the batch">,
    Option<"groups", "groups", "int64_t", "0", "Groups of rows; 0: the axis' devices">,
  ];
}

#endif // PARTOPT_STRATEGY_PASSES
