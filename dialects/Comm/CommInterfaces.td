// What every collective answers, so that passes need no switch per op.

#ifndef PARTOPT_COMM_INTERFACES
#define PARTOPT_COMM_INTERFACES

include "mlir/IR/OpBase.td"

def Comm_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::partopt::comm";
  let description = [{A collective over the groups of its axes.}];
  let methods = [
    InterfaceMethod<"The axes that span a group.", "::partopt::comm::AxesAttr", "getAxes">,
    InterfaceMethod<"Name in reports: all_reduce, all_gather, ...",
      "::llvm::StringRef", "getKindName", (ins), [{
        return $_op->getName().stripDialect();
      }]>,
    InterfaceMethod<[{Bytes of the payload, per device and execution: operands for
      all_reduce, reduce_scatter, all_to_all and permute, results for all_gather
      and broadcast.}], "int64_t", "getPayloadBytes">,
    InterfaceMethod<[{True when the group's blocks lie one after the other in
      memory: gathers and scatters along dimension 0, an all_to_all of
      `[n, ...]` with both dimensions 0 in groups of n.}], "bool",
      "isContiguous", (ins), /*methodBody=*/"", [{ return true; }]>,
    InterfaceMethod<"True when the results are `!comm.pending`.", "bool", "isStart", (ins), [{
        return $_op->getNumResults() > 0 &&
               ::llvm::isa<::partopt::comm::PendingType>($_op->getResult(0).getType());
      }]>,
    InterfaceMethod<"Type of result `i`, without `!comm.pending`.",
      "::mlir::RankedTensorType", "getValueType", (ins "unsigned":$i), [{
        return ::partopt::comm::getValueType($_op->getResult(i).getType());
      }]>,
  ];
}

#endif // PARTOPT_COMM_INTERFACES
