// Recipes: each only adds annotations (shardings, groups, options) that can be
// printed, edited and fed back in.

#ifndef PARTOPT_STRATEGY_PASSES
#define PARTOPT_STRATEGY_PASSES

include "mlir/Pass/PassBase.td"

def ApplyDdpPass : Pass<"partopt-apply-ddp", "mlir::ModuleOp"> {
  let summary = "Data parallel: batch over an axis, everything else replicated";
  let description = [{
    Requires argument roles (partopt-assign-roles) and a mesh with the axis.
    Shards dimension 0 of every batch argument over the axis and replicates
    parameters, optimizer state, running state, keys and scalars; results that
    take a donated argument's buffer get its sharding, other results are left
    to propagation.

    Refuses: an argument of unknown role, a model without batch arguments, a
    batch with fewer rows than the axis has devices, a file that already has
    shardings on its arguments.
  }];
  let constructor = "partopt::createApplyDdpPass()";
  let dependentDialects = ["partopt::sdy::SdyDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"data\"", "The mesh axis of the batch">,
  ];
}

#endif // PARTOPT_STRATEGY_PASSES
