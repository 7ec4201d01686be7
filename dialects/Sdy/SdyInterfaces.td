// What sdy's collectives have in common.

#ifndef PARTOPT_SDY_INTERFACES
#define PARTOPT_SDY_INTERFACES

include "mlir/IR/OpBase.td"

def Sdy_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::partopt::sdy";
  let description = [{
    An op that changes the layout of its operand by one kind of communication.
    Types stay global; `out_sharding` must be what the op makes of the operand's
    sharding.
  }];
  let methods = [
    InterfaceMethod<"The operand.", "::mlir::Value", "getTensor">,
    InterfaceMethod<"The result's sharding.", "::partopt::sdy::TensorShardingAttr",
                    "getOutSharding">,
    InterfaceMethod<"An operand without sharding counts as replicated.", "bool",
                    "allowMissingInputSharding", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Operand and result may be on different meshes.", "bool",
                    "allowDifferentMeshes", (ins), [{}], [{ return false; }]>,
  ];
  let verify = [{ return ::partopt::sdy::detail::verifyCollective($_op); }];
}

#endif
