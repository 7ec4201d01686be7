// Passes of the stage cut.

#ifndef PARTOPT_STAGE_PASSES
#define PARTOPT_STAGE_PASSES

include "mlir/Pass/PassBase.td"

def FormWholeLoop : Pass<"partopt-form-whole-loop", "::mlir::func::FuncOp"> {
  let summary = "A batch in one part is a loop of one iteration";
  let description = [{
    Requires the local program of one device; does nothing without an axis in time of
    one iteration, which partopt-form-time-loops has no loop for. What a batch argument
    has a part in, and is no update, is a loop over that axis. Of other ops those that
    only the updates need are behind it, the rest is in front.

    Updates are found from the next values of parameters and optimizer state, and from
    the loss, back through what keeps elements in their place (arithmetic, changes of
    shape, collectives) to where gradients are made; what is made of those alone, such as
    a norm, is behind the loop too. A value that updates read is added to a carried one
    that begins with zeros, as in a loop of several iterations; other results are carried
    out as they are.

    ```mlir
    %i, %sum = comm.loop_begin "micro" = 1 (%zeros) : (tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>)
    %g = stablehlo.dot_general %x, %dy, ... : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %next = stablehlo.add %sum, %g : tensor<8x8xf32>
    %total = comm.loop_end (%next) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    ```
  }];
  let dependentDialects = ["::partopt::comm::CommDialect",
                           "::partopt::stablehlo::StableHLODialect"];
}

def CutStages : Pass<"partopt-cut-stages", "::mlir::func::FuncOp"> {
  let summary = "Every op of the loop over microbatches gets a pipeline stage";
  let description = [{
    Requires the local program of one device with its microbatches as a loop.
    Forward ops, those that the loss depends on, are a chain in program order. It
    is cut so that the longest stage is within 5 % of the shortest possible, its
    backward ops included, and the least is sent in all.

    With `memory`, cuts whose stages keep within it come first: parameters that a
    stage reads with a gradient and optimizer state each, and for `kept`
    microbatches the forward values that backward ops read. Where no cut does, the
    one whose fullest stage needs least is taken.

    A backward op belongs where the forward op is that it is the gradient of: as
    far down the chain as everything that it reads lets it be. Forward values
    count as read by their last forward user, gradients by where they are made.
    Of a stage's backward ops those that only accumulators depend on are its
    weight gradients (`W`); on the first stage, which sends no gradient, those
    that one accumulator alone depends on. The rest is `I`.

    With `layers` or `begins` the cut is given. A layer (`partopt.layer` on parameters,
    by row where layers are stacked in one) begins between the last forward use of a
    parameter in front of it and the first of its own: there the place is taken where
    least crosses. `layers` counts those with a number in their names, or all where none
    has; 0 for the first or the last stage leaves it what is in front of them, or behind.

    A sum over the microbatches of what different stages make (the gradients of
    both uses of a tied table) becomes a sum per stage, added up behind the loop.

    Light work on batch arguments alone (masks, positions) has no stage: whoever
    needs it repeats it. A loop in the loop becomes one op, `comm.loop`, which
    partopt-form-stages makes flat again.

    ```mlir
    %y = stablehlo.dot_general %x, %w, ... {partopt.stage = 1 : i64, partopt.stage_part = "F"}
    ```

    Refuses: a step without a loop over microbatches, fewer forward ops than
    stages, several loops that parameters have a part in (statistics of the
    whole batch), other numbers of layers than the model has, and expressions that match
    nothing or not in forward order.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "2", "How many stages the chain has">,
    ListOption<"layers", "layers", "int64_t", "How many layers each stage has">,
    ListOption<"begins", "begins", "std::string",
               "Regular expressions: the layer or parameter at which each later "
               "stage begins">,
    Option<"memory", "memory", "int64_t", "0",
           "Bytes per device that a stage may hold and keep; 0: any number">,
    ListOption<"kept", "kept", "int64_t",
               "With memory, by stage: microbatches whose values it keeps (1 each)">,
  ];
  let statistics = [Statistic<"numSplitSums", "num-split-sums",
                              "Accumulators that became one per stage">];
}

def SplitStacks : Pass<"partopt-split-stacks", "::mlir::func::FuncOp"> {
  let summary = "Stacked parameters become one per run of rows that a stage uses";
  let description = [{
    Requires what partopt-cut-stages leaves. Layers that were a loop read their rows
    of a parameter that has one row per layer. Such an argument becomes one for each
    run of rows that the same stages read, and so does all that goes row by row with
    it behind the loop: the gradient that is put together of the layers', its state,
    their next values, which are further results. A fold of all rows (the norm of a
    gradient) becomes one of each part, and their combination. Then partopt-form-stages
    places the parts as any parameter, and no rows move.

    Each part says where it is (`partopt.first_row`); from here on arguments and
    results say their numbers before (`partopt.argument`, `partopt.result`), and
    `partopt.global_type` is that of all rows.

    ```mlir
    func.func @main(%a: tensor<5x64x32xf32> {partopt.argument = 0 : i64, partopt.first_row = 0 : i64, ...},
                    %b: tensor<3x64x32xf32> {partopt.argument = 0 : i64, partopt.first_row = 5 : i64, ...}, ...)
    ```

    An argument stays whole, and a note says why, where something in the way does not
    go row by row.
  }];
  let statistics = [Statistic<"numStacks", "num-stacks",
                              "Arguments that became several">];
}

def FormStages : Pass<"partopt-form-stages", "::mlir::ModuleOp"> {
  let summary = "One program per rank of the pipeline";
  let description = [{
    Requires what partopt-cut-stages leaves. Each public function becomes one per
    rank (`partopt.rank`), with that rank's ops, arguments and results
    (`partopt.argument` and `partopt.result` are their numbers before). In it every
    segment, a part of one stage, is a loop of its own, and segments come in the
    order of the chain: forward up, gradients down. A segment may read what an
    earlier one made in the iteration of the same number, so that any order of
    iterations that keeps each microbatch's is right.

    What is made on another rank is sent where it is made and received where it
    is first read (`comm.send`, `comm.recv`, one channel per value and receiver).
    Behind the loop an op runs where most of the bytes are that it reads: updates
    where parameters are, sums of norms from rank to rank. A parameter that
    several ranks have is updated by one, which sends the others its new value.

    ```mlir
    // rank 0
    %i = comm.loop_begin "micro" = 4 () {partopt.stage = 0 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
    %y = stablehlo.dot_general %rows, %w, ... : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    comm.send {"pipe"=2} to = 1 channel = 0 %y : tensor<4x8xf32>
    comm.loop_end () : () -> ()
    ```

    Refuses: stages that the ranks do not divide, and values in front of the loop
    that parameters of several stages are in.
  }];
  let options = [
    Option<"axis", "axis", "std::string", "\"pipe\"", "The mesh axis of the ranks">,
    Option<"ranks", "ranks", "int64_t", "2", "Ranks along the axis">,
    Option<"upAndDown", "up-and-down", "bool", "false",
           "Rank r has the stages r and 2 * ranks - 1 - r">,
    Option<"fused", "fused", "bool", "false",
           "Both gradients of a stage are one segment">,
  ];
  let statistics = [Statistic<"numTransfers", "num-transfers",
                              "Values that go from rank to rank">];
}

def VerifyStages : Pass<"partopt-verify-stages", "::mlir::ModuleOp"> {
  let summary = "The programs of a pipeline's ranks fit together";
  let description = [{
    Proves on the programs alone, whatever made them: there is one per rank; every
    channel has one sender and one receiver, which name each other, move the same
    types and run equally often; the sender's segment comes before the receiver's in
    the chain of stages, so that no order of a chain can wait for itself; every
    result of the whole program is on some rank; and who has an argument has its next
    value, if anybody has. Does nothing without such programs.
  }];
}

#endif // PARTOPT_STAGE_PASSES
