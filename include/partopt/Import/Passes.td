// The passes of the import stage, in the order in which they run.

#ifndef PARTOPT_IMPORT_PASSES
#define PARTOPT_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

def VerifyInputPass : Pass<"partopt-verify-input", "::mlir::ModuleOp"> {
  let summary = "Refuses what the compiler cannot compile yet";
  let description = [{
    Requires nothing. Guarantees: the entry exists, is public and has a body of
    one block; every type is a tensor of static shape; no op is of a kind that
    has no way through the compiler (manual computations, custom calls,
    collectives written by the user, dynamic shapes, tokens); all meshes
    that are neither empty nor maximal have the same number of devices.
    Each refusal names the op at its source and says what to do.
  }];
  let options = [Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
                        "Symbol name of the function to compile">];
}

def DropShardingsPass : Pass<"partopt-drop-shardings", "::mlir::ModuleOp"> {
  let summary = "Removes every mesh, sharding and constraint";
  let description = [{
    Leaves the program of one device, with which partitioned runs are compared.

    ```mlir
    %0 = sdy.sharding_constraint %arg0 <@mesh, []> : tensor<f32>
    // becomes %arg0
    ```
  }];
}

def SetMeshPass : Pass<"partopt-set-mesh", "::mlir::ModuleOp"> {
  let summary = "Adds the mesh that the user named, or checks the file's";
  let description = [{
    A module without a mesh gets `sdy.mesh @mesh`. A module that has one must
    agree in names, sizes and order. Without the option a module without a mesh
    gets one without axes: one device.

    ```mlir
    // --partopt-set-mesh=mesh=data=2,model=4
    sdy.mesh @mesh = <["data"=2, "model"=4]>
    ```
  }];
  let options = [Option<"mesh", "mesh", "std::string", /*default=*/"",
                        "Axes as `data=2,model=4`, outermost first">];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

def InlineCallsPass : Pass<"partopt-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Inlines every call into the entry and drops the rest";
  let description = [{
    JAX outlines freely (`@relu`, `@_where`, scan bodies); sharding has to flow
    through. Calls in nested regions are inlined as well. An op from a callee
    gets the location callsite(its own at the call's). Shardings on a callee's
    arguments and results, or on the call, become sharding constraints.
    Recursion, a callee without a body and one with several blocks are errors.
    Guarantees: one function, the entry, and no call.

    ```mlir
    %0 = call @relu(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    // becomes the body of @relu on %arg0
    ```
  }];
  let options = [Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
                        "Symbol name of the function to compile">];
  let statistics = [Statistic<"numInlined", "calls-inlined", "Calls inlined">];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

def ExpandBatchNormPass
    : Pass<"partopt-expand-batch-norm", "::mlir::ModuleOp"> {
  let summary = "Writes batch_norm ops as reductions and elementwise ops";
  let description = [{
    Statistics become sums over the whole batch, divided by its count, so they
    are exact however the batch is split. bf16 and f16 are computed in f32 and
    rounded at the end. Shardings of results stay on what replaces them.

    ```mlir
    %y, %m, %v = "stablehlo.batch_norm_training"(%x, %scale, %offset) ...
    // %m is stablehlo.divide of a stablehlo.reduce by the number of rows
    ```
  }];
}

def UnrollLoopsPass : Pass<"partopt-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Writes out loops whose trip count is known";
  let description = [{
    A `stablehlo.while` whose condition depends on constants and on counters
    alone (JAX's `scan` and `fori_loop`) is replaced by its iterations. Counters
    become constants and dynamic slices at a counter static ones, so that a scan
    over stacked layers becomes the layers. Loops that the program's inputs end,
    or that are beyond the limits, stay as they are. A sharding on the loop's
    results becomes a constraint on what replaces them. Requires inlined calls.

    ```mlir
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) ... // %i < 3, %i + 1
    // becomes the body of the loop, three times
    ```
  }];
  let options = [
    Option<"maxTrips", "max-trips", "int64_t", /*default=*/"1024",
           "Loops with more iterations stay">,
    Option<"maxOps", "max-ops", "int64_t", /*default=*/"400000",
           "Loops that would become more operations stay">];
  let statistics = [Statistic<"numUnrolled", "unrolled", "Loops written out">];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

def ForwardUpdatesPass : Pass<"partopt-forward-updates", "::mlir::ModuleOp"> {
  let summary = "Reads of stacked values take what was stacked";
  let description = [{
    A loop that was written out stacks values by updates at constant places. A
    slice reads the update that it covers, or the value before updates that it
    does not touch. A chain of updates that covers every row along one dimension
    becomes a concatenation: one copy of each row instead of one of the stack.

    ```mlir
    %0 = stablehlo.dynamic_update_slice %zeros, %a, %c0, %c0
    %1 = stablehlo.dynamic_update_slice %0, %b, %c1, %c0
    // of 2 rows becomes stablehlo.concatenate %a, %b, dim = 0
    ```
  }];
  let statistics = [
    Statistic<"numForwarded", "forwarded", "Slices that read something earlier">,
    Statistic<"numConcatenated", "concatenated", "Chains made concatenations">];
}

def AssignRolesPass : Pass<"partopt-assign-roles", "::mlir::ModuleOp"> {
  let summary = "Names arguments and results and gives arguments their roles";
  let description = [{
    `partopt.role` says what an argument is in a training or inference step:

    - `param`: carried, reaches the loss, and a gradient may be taken of it
    - `opt`: carried, reaches a parameter's new value: optimizer state; scalars
      that are made of themselves and of scalars (loss scales, schedules,
      counters), though they reach the loss; what only these need
    - `state`: carried, and none of these: running statistics, caches; averages
      and what is only compared or replaced, though they reach the loss
    - `batch`: new for every step, rows along dimension 0
    - `rng`: a random key
    - `scalar`: rank 0 and not carried
    - `unknown`: cannot be told; strategies that need to know stop

    *Carried* arguments have a next value: `partopt.next_result` is the number of
    the result, `partopt.next_result_reason` says how it was found.

    - `donated`: `tf.aliasing_output`; of arguments with `jax.buffer_donor` the
      pass finds the result by JAX's rule, the first free one of the same type,
      and records it
    - `partopt.next_result` in the file, or `carries`
    - `name`: the path of the result's name is that of the argument but for what
      stands outermost (`params['w']`, `result[0]['w']`)
    - `use`: the argument goes into the result element by element; for a
      parameter, after the loss was computed and undiminished
    - `counter`: a whole number that only the argument tells
    - `order`: as many results as arguments of a type are left

    Each of the last four only where no other choice is left; a parameter or
    state of which several results may be the next value is a warning. So is what
    `use` and `order` pair of arguments of which no name says that they go around
    (a metric may be computed as a next value is), and, in a step with a loss, what
    is left alone though a result of its type is computed from it. A name that
    says what it is (`params[...]`, `opt_state[0].mu[...]`, `stats[...]`) decides
    the role, then use does. Requires inlined calls.

    The loss (`partopt.loss` on the result, or `loss`) is the scalar that the
    gradients are derived from: beside metrics, norms and directional derivatives
    it is the one called so, else the one whose ops the update has the derivatives
    of. Several that are alike are a warning, which names `--loss`.

    ```mlir
    func.func @main(%arg0: tensor<4xf32> {partopt.next_result = 0 : i32,
        partopt.name = "params['w']", partopt.role = "param"}) ...
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Symbol name of the function to compile">,
    ListOption<"roles", "roles", "std::string",
               "`REGEX=role`; the first that matches a name wins">,
    ListOption<"carries", "carries", "std::string",
               "`ARG=RESULT` or `ARG=none`, by name or as argN and outN">,
    Option<"loss", "loss", "std::string", /*default=*/"\"\"",
           "The result that is the loss, by name or as outN">];
}

def SplitBarriersPass : Pass<"partopt-split-barriers", "::mlir::ModuleOp"> {
  let summary = "An optimization barrier for each value";
  let description = [{
    `stablehlo.optimization_barrier` keeps apart what `jax.checkpoint` computes
    again and what that repeats. Later stages keep barriers of one value (they
    have a rule like any op that copies) until there are kernels, which nothing
    merges. Barriers of tokens, and results that nobody reads, go. Slices of what is
    behind a barrier become barriers of slices: a checkpoint around a scan needs a
    stack of parameters one layer at a time.

    ```mlir
    %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<8xf32>
    // becomes
    %0 = stablehlo.optimization_barrier %a : tensor<4xf32>
    %1 = stablehlo.optimization_barrier %b : tensor<8xf32>
    ```
  }];
}

def FindLayersPass : Pass<"partopt-find-layers", "::mlir::ModuleOp"> {
  let summary = "Says which layer of the model each argument belongs to";
  let description = [{
    Parameters in the order of their first use are searched for stretches that
    repeat: equal ops on parameters of equal types, each copy depending on the
    one before. These are layers, called by the numbered part that the names of
    their parameters share, else `layer0`, `layer1`, …; where names say otherwise
    the structure decides and the layer's note tells. Parameters around them are
    grouped by the numbered part of their names, else each stretch is one layer.
    Optimizer state belongs to the parameter whose update reads it.

    Leaves `partopt.layer` on parameters and optimizer state (`layers.*` on a
    stack of which every row belongs to another layer), `partopt.note` on
    arguments that are not what their role makes one expect (frozen, unused,
    tied, a step counter), and the table `partopt.layers` on the module. A
    `partopt.layer` that is there already decides, then `layers`.

    Requires `partopt.role` and `partopt.name`, and loops that are written out.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "Symbol name of the function to compile">,
    ListOption<"layers", "layers", "std::string",
               "`REGEX=NAME` by parameter name; the first that matches wins">];
  let statistics = [Statistic<"numLayers", "layers", "Layers found">];
}

def BoundIntegersPass : Pass<"partopt-bound-integers", "::mlir::ModuleOp"> {
  let summary = "Finds below which number integer arguments make sense";
  let description = [{
    `partopt.int_bound` on an integer argument says that sensible values are in
    [0, bound): the smallest extent that the argument selects from, as an index
    (gather, scatter, dynamic slices) or compared for equality with an iota.
    Followed are ops that move numbers (reshapes, broadcasts, concatenations,
    converts, loops) or guard them (clamp, minimum, maximum, select; so
    `select(x < 0, x + n, x)` bounds `x`). Arithmetic is not: what it makes of
    an argument says nothing about the argument.

    Only made-up inputs (`--inputs random:SEED`) read it. Requires inlined
    calls; sizes are global ones.

    ```mlir
    // %0 = stablehlo.gather(%table, %tokens) of tensor<128x32xf32>
    %tokens: tensor<8x16x1xi32> {partopt.int_bound = 128 : i64}
    ```
  }];
  let options = [Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
                        "Symbol name of the function to compile">];
  let statistics = [Statistic<"numBounded", "bounded", "Arguments with a bound">];
}

def VerifyImportedPass : Pass<"partopt-verify-imported", "::mlir::ModuleOp"> {
  let summary = "Proves the exit contract of the import stage";
  let description = [{
    One public function with a body and without calls, whose arguments carry
    `partopt.role` and `partopt.name` and whose results carry `partopt.name`;
    `partopt.next_result` pairs each argument that has it with a result of its
    type.
  }];
}

#endif
