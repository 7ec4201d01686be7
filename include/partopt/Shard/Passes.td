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

//===----------------------------------------------------------------------===//
// Before propagation
//===----------------------------------------------------------------------===//

def SplitConstants : Pass<"sdy-constant-or-scalar-splitter", "::mlir::ModuleOp"> {
  let summary = "Give each use of a constant its own copy";
  let description = [{
    A constant is the same on all devices, so its uses need not agree on a
    sharding. Constants are: constants, iota, a broadcast or reshape of a scalar,
    and elementwise ops, slices, broadcasts and reshapes of constants. Values of
    rank 0 are left alone.
  }];
  let statistics = [Statistic<"numCopies", "num-copies", "Copies made">];
}

def ApplyShardingConstraints
    : Pass<"sdy-apply-sharding-constraints", "::mlir::ModuleOp"> {
  let summary = "Give values the closed sharding of their constraint";
  let description = [{
    A value without sharding takes that of a fully closed `sharding_constraint`
    on it, unless another user asks for a different one. If a value is used by a
    chain of constraints, its later uses in the block use the end of the chain.
  }];
  let statistics = [
    Statistic<"numApplied", "num-applied", "Values that took a sharding">];
}

def AliasResultShardings
    : Pass<"partopt-alias-result-shardings", "::mlir::ModuleOp"> {
  let summary = "Next values of arguments take their sharding";
  let description = [{
    For results without sharding that are an argument's next value
    (`partopt.next_result`, or else `tf.aliasing_output`), so that one step's
    output is the next one's input.
  }];
}

def PropagateTime : Pass<"partopt-propagate-time", "::mlir::ModuleOp"> {
  let summary = "Spread the axes in time from the batch arguments";
  let description = [{
    Adds the axes of `partopt.time_axes` to the mesh, gives them to dimension
    `partopt.time_dim` of the arguments that name one, and spreads them along
    the factors of the ops' rules, minor to the axes in space that are there by
    now. Closed dimensions and constraints bind axes in space only. Arguments
    without `partopt.time_dim` and the results that are their next values never
    take such an axis: what flows there is combined over the iterations.
  }];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

def SeparateStorage : Pass<"partopt-separate-storage", "::mlir::ModuleOp"> {
  let summary = "Tell where parameters are stored from how they are computed";
  let description = [{
    A file made for FSDP shards parameters and optimizer state over an axis that
    the batch uses too. This pass finds those axes: it propagates without them,
    from the batch, constraints and all other axes; where such an axis of a
    parameter is then taken by another factor of an op that uses the parameter
    (directly or through ops of parameters only, like a transpose), the axis is
    storage. All such uses get one gathered copy, a `sdy.sharding_constraint` of
    the parameter without the axis and with the attribute `partopt.storage_gather`.

    Other uses, the optimizer's, keep the stored layout. Where no other factor
    takes the axis (experts) it stays a compute axis.

    Requires `partopt.role` on the arguments (`partopt-assign-roles`). Storage
    axes are recorded as `partopt.storage_axes` on arguments and on the results
    that take their buffers; propagation reveals them last. The attribute
    `partopt.storage_override = "keep"` (or `"compute"`) on an argument decides
    for it: every use but the optimizer's is gathered (or none). As
    `{data = "keep", expert = "compute"}` it decides for single axes.
  }];
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
  let options = [Option<"storage", "storage", "std::string", "\"auto\"",
    "auto: by the program; keep: all axes shared with the batch are storage; "
    "compute: none is">];
  let statistics = [
    Statistic<"numGathered", "num-gathered", "Parameters gathered before use">,
    Statistic<"numStored", "num-stored", "Arguments with storage axes">];
}

def Recompute : Pass<"partopt-recompute", "::mlir::ModuleOp"> {
  let summary = "The backward part computes marked values anew";
  let description = [{
    Forward ops with `partopt.recompute` are copied for the ops behind the forward
    part that read their results, right before the first of these. Copies read
    other copies, or what is kept behind an optimization barrier, so that nothing
    merges them with the originals; all are `partopt.copy`, with the shardings of
    the originals. `partopt.place` keeps the order that the program's values had,
    and says of copies what they are copies of. A value that only the forward part reads after that is freed
    there.

    Requires the program after propagation.
  }];
  let dependentDialects = ["::partopt::stablehlo::StableHLODialect"];
  let statistics = [Statistic<"numOps", "num-ops", "Ops that are copied">];
}

def ReshardAfterForward
    : Pass<"partopt-reshard-after-forward", "::mlir::ModuleOp"> {
  let summary = "Gather stored parameters again for the backward pass";
  let description = [{
    `partopt-separate-storage` gathers a stored parameter once; its whole copy
    then lives from its first use in the forward pass to its last one in the
    backward pass. This pass gives the uses after the forward pass a gather of
    their own (`partopt.storage_gather = "backward"`), so that the first copy is
    freed after the forward pass: less memory for one more gather per parameter.
    What the forward pass makes of the parameter alone by ops with one operand,
    like a transpose, is made anew from the second copy (`partopt.copy`).

    Forward are the ops that the loss depends on. Without a loss, nothing is
    changed and a warning says so.

    Requires the program after propagation, with constraints as `sdy.reshard`.
  }];
  let statistics = [Statistic<"numGatheredAgain", "num-gathered-again",
    "Parameters gathered again for the backward pass">];
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

class PropagatePass<string argument> : Pass<argument, "::mlir::ModuleOp">;

def BasicPropagate : PropagatePass<"sdy-basic-propagate"> {
  let summary = "Propagate axes that fit all tensors of an op";
  let description = [{
    Along each factor of an op's sharding rule: the axes on which all its tensors
    agree and that fit all of them (closed dimensions, other factors, explicitly
    replicated axes, sizes). Values of while, case, if and optimization_barrier
    flow along their edges.
  }];
}

def AggressivePropagate : PropagatePass<"sdy-aggressive-propagate"> {
  let summary = "Propagate to each tensor of an op what fits it";
  let description = [{
    As `sdy-basic-propagate`, but what does not fit one tensor still reaches the
    others. If factors compete for an axis, the one whose axes come from the
    larger tensor wins.
  }];
}

def OpPriorityPropagate : PropagatePass<"sdy-op-priority-propagate"> {
  let summary = "Propagate through elementwise ops before all others";
  let description = [{
    Runs `sdy-aggressive-propagate` in rounds: elementwise ops whose operands
    have no other use, all elementwise ops, pass-through factors, all factors;
    forward through broadcasts comes last.
  }];
}

def UserPriorityPropagate : PropagatePass<"sdy-user-priority-propagate"> {
  let summary = "Propagate dimensions of higher priority first";
  let description = [{
    Runs `sdy-op-priority-propagate` once per priority (`{"x"}p1`), from 0 on;
    dimensions of later priorities are empty until their turn.
  }];
}

//===----------------------------------------------------------------------===//
// After propagation
//===----------------------------------------------------------------------===//

def MergeConstants : Pass<"sdy-constant-or-scalar-merger", "::mlir::ModuleOp"> {
  let summary = "Merge equal constants with equal shardings";
  let description = "Undoes what `sdy-constant-or-scalar-splitter` need not have done.";
  let statistics = [Statistic<"numMerged", "num-merged", "Copies removed">];
}

def RemoveShardingGroups : Pass<"sdy-remove-sharding-groups", "::mlir::ModuleOp"> {
  let summary = "Remove `sdy.sharding_group`";
}

def ShardingConstraintToReshard
    : Pass<"sdy-sharding-constraint-to-reshard", "::mlir::ModuleOp"> {
  let summary = "Turn `sdy.sharding_constraint` into `sdy.reshard`";
  let description = "Constraints without uses have done their work and go.";
  let dependentDialects = ["::partopt::sdy::SdyDialect"];
}

def UpdateNonDivisibleInputOutputShardings
    : Pass<"sdy-update-non-divisible-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Cut argument and result shardings to what divides";
  let description = [{
    For callers that cannot pad. partopt's own pipeline does not contain it.
  }];
}

def RemoveSubAxesInInputOutputShardings
    : Pass<"sdy-remove-sub-axes-in-input-output-shardings", "::mlir::ModuleOp"> {
  let summary = "Cut argument and result shardings before the first sub-axis";
  let description = "Of open dimensions: sub-axes in closed ones are the user's.";
}

def CloseShardings : Pass<"sdy-close-shardings", "::mlir::ModuleOp"> {
  let summary = "Close all dimensions and drop priorities";
}

def CompleteShardings : Pass<"partopt-complete-shardings", "::mlir::ModuleOp"> {
  let summary = "Give every value without sharding the replicated one";
  let description = [{
    After it every tensor of a module with a mesh has a sharding, as partitioning
    requires. A module without mesh stays as it is.
  }];
}

def VerifyPropagated : Pass<"partopt-verify-propagated", "::mlir::ModuleOp"> {
  let summary = "Proves the exit contract of propagation";
  let description = [{
    In a module with a mesh every tensor argument and result of an op has one
    closed sharding, and no constraint is left.
  }];
}

def ReportConflicts : Pass<"partopt-report-conflicts", "::mlir::ModuleOp"> {
  let summary = "Tell where the tensors of an op ended with different axes";
  let description = [{
    One remark per op, factor and tensor whose axes contradict those of the
    tensor that is split most, or that lacks them because another of its
    dimensions has them. Changes nothing.
  }];
  let statistics = [
    Statistic<"numConflicts", "num-conflicts", "Conflicts found">];
}

#endif // PARTOPT_SHARD_PASSES
