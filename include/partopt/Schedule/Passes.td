//===- Passes.td - Passes of the schedule stage --------------------------===//

#ifndef PARTOPT_SCHEDULE_PASSES_TD
#define PARTOPT_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormaliseCollectives
    : Pass<"partopt-normalise-collectives", "::mlir::func::FuncOp"> {
  let summary = "Makes every collective move contiguous blocks";
  let description = [{
    A transport moves ranges of memory: the blocks of an all_gather or a
    reduce_scatter must lie one after the other, which they do along dimension
    0. Other dimensions are moved there and back by transposes (reshapes where
    every dimension before is 1). An all_to_all becomes `[n, ...] -> [n, ...]`
    with both dimensions 0, n being the size of the group.

    ```mlir
    %0 = comm.all_gather {"data"=2} dim = 1 %a : (tensor<3x4xf32>) -> tensor<3x8xf32>
    // becomes
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %g = comm.all_gather {"data"=2} dim = 0 %t : (tensor<4x3xf32>) -> tensor<8x3xf32>
    %0 = stablehlo.transpose %g, dims = [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
    ```

    Requires local shapes and collectives that are not started yet.
  }];
  let dependentDialects = ["::partopt::comm::CommDialect",
                           "::partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"moved", "moved-collectives", "Collectives that needed a move">];
}

def NarrowCollectives
    : Pass<"partopt-narrow-collectives", "::mlir::func::FuncOp"> {
  let summary = "The float types in which gradients and parameters move";
  let description = [{
    Reductions of gradients (not of losses, norms or activations: what a new
    parameter is computed from element by element) happen in `grad-reduce`, and
    gathers of stored parameters in `param-gather`, where these are given: a
    conversion in front of the collective and one back behind it. What is stored
    keeps its type, and gathers of updated parameters are left alone, since they
    make what is stored.

    A gather of which every reader converts the result to one narrower type moves
    that type without being asked: no value changes.

    ```mlir
    %0 = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather} : (tensor<4xf32>) -> tensor<8xf32>
    %1 = stablehlo.convert %0 : (tensor<8xf32>) -> tensor<8xbf16>
    // becomes
    %0 = stablehlo.convert %w : (tensor<4xf32>) -> tensor<4xbf16>
    %1 = comm.all_gather {"data"=2} dim = 0 %0 {partopt.storage_gather} : (tensor<4xbf16>) -> tensor<8xbf16>
    ```

    Reductions of gradients and gathers of updated parameters are marked with the
    part of the step that they belong to (`partopt.phase`), whatever front end
    named their ops.

    Requires collectives of one operand that are not started yet. Warns where an
    option changes nothing.
  }];
  let options = [
    Option<"gradReduce", "grad-reduce", "std::string", "\"\"",
      "bf16, f16, f32; empty: as they are">,
    Option<"paramGather", "param-gather", "std::string", "\"\"",
      "bf16, f16, f32; empty: as they are">
  ];
  let dependentDialects = ["::partopt::comm::CommDialect",
                           "::partopt::stablehlo::StableHLODialect"];
  let statistics = [
    Statistic<"narrowed", "retyped", "Collectives in another type">,
    Statistic<"exactGathers", "exact-gathers",
      "Gathers of what is read in a narrower type alone">];
}

def MergeUnits : Pass<"partopt-merge-units", "::mlir::func::FuncOp"> {
  let summary = "One gather and one reduce-scatter per wrap unit";
  let description = [{
    A parameter's unit is `partopt.wrap_unit` on its argument (`layers.*` on a
    stack: the row's number stands for the star). Of a unit are the gathers that
    read its parameters (`partopt.storage_gather`), and what the new values of
    its parameters are computed from element by element: reduce-scatters of
    gradients, and gathers of updated shards. Those of one unit with the same
    axes, element type and, of gathers, phase become one variadic collective,
    which carries the unit's name.

    Gathers merge at the first one's place; what moves and transposes a shard
    before it is gathered moves along. Others merge at the last one's place, and
    what depends on the earlier ones moves behind it. A collective that depends
    on another one of its unit begins a new group.

    ```mlir
    %0 = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather} : (tensor<4xf32>) -> tensor<8xf32>
    %1 = comm.all_gather {"data"=2} dim = 0 %b {partopt.storage_gather} : (tensor<1xf32>) -> tensor<2xf32>
    // becomes, with one partopt.wrap_unit on both arguments
    %0:2 = comm.all_gather {"data"=2} dim = 0 %w, %b {partopt.storage_gather, partopt.wrap_unit = "layers.0"}
      : (tensor<4xf32>, tensor<1xf32>) -> (tensor<8xf32>, tensor<2xf32>)
    ```

    Every byte is sent once, as before. Requires collectives in contiguous form
    that are not started yet.
  }];
  let dependentDialects = ["::partopt::comm::CommDialect"];
  let statistics = [
    Statistic<"merged", "merged", "Collectives of a unit's tensors">,
    Statistic<"members", "members", "Tensors that they move">];
}

def BucketAllReduce : Pass<"partopt-bucket-all-reduce", "::mlir::func::FuncOp"> {
  let summary = "Merges collectives of one kind into variadic ones";
  let description = [{
    Gradients are reduced in buckets, in the order in which the backward pass
    makes them, as PyTorch's DistributedDataParallel does: the first bucket is
    small, so that communication starts early, the others are large. A bucket is
    full when it has reached its size. All-reduces of one bucket share axes,
    combiner and element type; the merged one stands where the last of them
    stood.

    First, everything that depends on a collective and on which no collective
    depends (the update of the parameters) moves to the end, in its order. Then
    a collective joins a bucket only if nothing reads a member before the place
    of the last: nothing is delayed, and no cycle can arise.

    Small reduce_scatters and all_gathers along dimension 0 are merged as well
    (`small-kib` each, `small-bucket-kib` together): scatters at the last one's
    place, gathers at the first one's, if all operands exist there.

    ```mlir
    %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> tensor<4xf32>
    %1 = comm.all_reduce {"data"=2} sum %b : (tensor<8xf32>) -> tensor<8xf32>
    // becomes
    %0:2 = comm.all_reduce {"data"=2} sum %a, %b
      : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
    ```

    With `automatic`, sizes follow from the timeline of the backward pass instead:
    the cuts are those with which the last collective of a kind ends earliest (see
    BucketBoundaries.h), by what `machine` says of compute and links, as in
    partopt-schedule-collectives.

    Each byte is reduced once. Requires collectives that are not started yet.
  }];
  let options = [
    Option<"bucketMib", "bucket-mib", "double", "25",
      "Size at which a bucket of all-reduces is full, in MiB">,
    Option<"firstBucketMib", "first-bucket-mib", "double", "1",
      "The same of the first bucket of each kind">,
    Option<"smallKib", "small-kib", "double", "64",
      "Largest gather or scatter that is merged, in KiB; 0: none">,
    Option<"smallBucketKib", "small-bucket-kib", "double", "1024",
      "Size at which a bucket of these is full, in KiB">,
    Option<"automatic", "automatic", "bool", "false",
      "Cut buckets of reductions by the timeline of the backward pass">,
    Option<"machine", "machine", "std::string", "\"\"",
      "What times are estimated for, as in partopt-schedule-collectives">
  ];
  let dependentDialects = ["::partopt::comm::CommDialect"];
  let statistics = [
    Statistic<"before", "collectives-before", "Collectives before">,
    Statistic<"after", "collectives-after", "Collectives after">,
    Statistic<"buckets", "buckets", "Collectives with several operands">,
    Statistic<"bucketBytes", "bucket-bytes", "Payload bytes in buckets">
  ];
}

def OrderSegments : Pass<"partopt-order-segments", "::mlir::ModuleOp"> {
  let summary = "The order of a pipeline's segments on every rank";
  let description = [{
    Requires the programs of a pipeline's ranks, as partopt-form-stages makes them,
    with kernels. `partopt.turns` on each says which of its segments runs which
    microbatch, one after the other, in the order of `schedule`: a name of
    lib/PipelineSchedule, or `auto`, which makes an order for the times that the
    segments are estimated to take, with which rank r keeps at most `caps[r]`
    microbatches of all its stages. The order is proven before it is written
    (every segment once per microbatch, no ranks that wait for each other). Where a
    segment is empty (the first stage sends no gradient) there is no turn. A program
    without gradients runs its segments as they come.

    What stands between the segments and belongs to none (what accumulators begin
    with) moves in front of the first.

    ```mlir
    func.func @main_rank0(...) attributes {partopt.rank = 0 : i64}
    // becomes, for 1f1b with the loops F and B and two microbatches
    func.func @main_rank0(...) attributes {partopt.rank = 0 : i64, partopt.turns = array<i64: 0, 0, 0, 1, 1, 0, 1, 1>}
    ```

    Does nothing without such programs. Refuses: a schedule that cannot take the
    numbers of ranks, stages or microbatches, with the nearest that it can.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "\"1f1b\"", "A name, or auto">,
    ListOption<"caps", "caps", "int64_t",
      "With auto, by rank: microbatches of its stages that it has room for">,
    Option<"machine", "machine", "std::string", "\"\"",
      "What times are estimated for, as in partopt-schedule-collectives">,
  ];
}

def MapMesh : Pass<"partopt-map-mesh", "::mlir::ModuleOp"> {
  let summary = "Lays the mesh's axes on the levels of a cluster";
  let description = [{
    The devices of a cluster are numbered through its levels, those of one node
    one after the other. Which axis of the mesh lies inside of which decides whose
    groups stay on the fast link of a node. The pass adds up what the program sends
    over each axis in a step (times the iterations of a loop in time), and takes
    the order of axes in which all collectives together take least on the links of
    `machine`'s cluster; of equal orders the one in which what takes longer on the
    slowest link lies further inside. `axis-order` sets the order by hand,
    outermost first; device ids that the file's mesh has stay.

    Nothing but the numbers of devices changes: `partopt.device_ids` on the mesh
    says which device computes at each of its places, where that is another than
    the place itself, and `partopt.mapping` on the module says for each axis what
    it sends, the level and link that it uses, and why. Groups, the order of
    their members, and so every result, stay the same to the last bit.

    ```mlir
    sdy.mesh @mesh = <["model"=2, "data"=2]>
    // becomes, where model sends more and a node has 2 devices
    sdy.mesh @mesh = <["model"=2, "data"=2]> {partopt.device_ids = array<i64: 0, 2, 1, 3>}
    ```

    Requires collectives that are not started yet: final ones, or with `links-only`
    those before they are merged, for passes that ask what these take; then the mesh
    stays as it is. Without a cluster it does nothing. Fails where the cluster has fewer devices than the mesh.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"\"",
      "cluster=NAME|FILE; what else it says is not needed here">,
    Option<"axisOrder", "axis-order", "std::string", "\"\"",
      "All axes, outermost first; empty: by what they send">,
    Option<"linksOnly", "links-only", "bool", "false",
      "Write partopt.mapping alone, which a later run decides anew">
  ];
  let statistics = [
    Statistic<"moved", "moved-axes", "Axes that lie elsewhere than in the mesh">
  ];
}

def ScheduleCollectives
    : Pass<"partopt-schedule-collectives", "::mlir::func::FuncOp"> {
  let summary = "Starts collectives early and waits for them late";
  let description = [{
    Splits every collective into a start and a `comm.wait` and orders the block
    by a list scheduler (see ScheduleProblem.h): compute keeps its order, but a
    step that would have to wait for data lets up to `lookahead` later steps
    pass that need not. All ranks run the same order.

    What a step takes is estimated by the cost model of the simulator, for the
    links, the device, the cluster or the calibration in `machine`
    ("link=data=50us,1GB/s; compute=model=2GFLOP/s,1GB/s"; of a cluster, links are
    those of `partopt.mapping` on the module), and else for a server's core. The estimates
    decide only what passes what.

    Memory: at most `prefetch` gathers of stored parameters
    (`partopt.storage_gather`, one per wrap unit) are in flight while a step
    computes, unless the next step needs more, so that parameters are not all
    gathered at the start.

    ```mlir
    %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @k0(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = call @k1(%0) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %p = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
    %1 = call @k0(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %0 = comm.wait %p : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
    %2 = call @k1(%0) : (tensor<4xf32>) -> tensor<4xf32>
    ```

    Requires the kernel form without started collectives.
  }];
  let options = [
    Option<"prefetch", "prefetch", "unsigned", "1",
      "Gathers of stored parameters in flight ahead of their use">,
    Option<"lookahead", "lookahead", "unsigned", "16",
      "Steps that may pass one that waits">,
    Option<"machine", "machine", "std::string", "",
      "link=AXIS=LATENCY,BANDWIDTH, compute=model=FLOPS,BYTES, calibration=FILE, with ; between them">
  ];
  let dependentDialects = ["::partopt::comm::CommDialect"];
  let statistics = [
    Statistic<"collectives", "collectives", "Collectives">,
    Statistic<"payloadBytes", "payload-bytes", "Their payload per device">,
    Statistic<"overlapped", "overlapped",
      "Collectives with compute between start and wait">
  ];
}

def VerifyOptimised
    : Pass<"partopt-verify-optimised", "::mlir::func::FuncOp"> {
  let summary = "Checks what holds after the optimise phase";
  let description = [{
    Every collective moves contiguous blocks, and none is started.
  }];
}

def VerifyScheduled
    : Pass<"partopt-verify-scheduled", "::mlir::func::FuncOp"> {
  let summary = "Checks what holds after the schedule phase";
  let description = [{
    Every collective of a function that is no kernel is started, and waited for
    exactly once.
  }];
}

#endif // PARTOPT_SCHEDULE_PASSES_TD
