//===- CollectiveOps.td - exchanges between devices -----------------------===//
//
// They occur inside `sdy.manual_computation` bodies; groups are listed device
// by device. The compiler's own collectives are those of the comm dialect.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_COLLECTIVE_OPS_TD
#define PARTOPT_STABLEHLO_COLLECTIVE_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_AllReduceOp : StableHLO_Op<"all_reduce"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, I64Attr:$all_gather_dim,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_ReduceScatterOp : StableHLO_Op<"reduce_scatter"> {
  let arguments = (ins HLO_Tensor:$operand, I64Attr:$scatter_dimension,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs HLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

def StableHLO_AllToAllOp : StableHLO_Op<"all_to_all"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, I64Attr:$split_dimension,
                       I64Attr:$concat_dimension, I64Attr:$split_count,
                       I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<HLO_Tensor>);
  let hasVerifier = 1;
}

def StableHLO_CollectivePermuteOp
    : StableHLO_Op<"collective_permute", [HLO_SameTypes, SameOperandsAndResultType]> {
  let arguments = (ins HLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs HLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_CollectiveBroadcastOp
    : StableHLO_Op<"collective_broadcast", [HLO_SameTypes, SameOperandsAndResultType]> {
  let arguments = (ins HLO_Tensor:$operand, I64ElementsAttr:$replica_groups,
                       OptionalAttr<StableHLO_ChannelHandleAttr>:$channel_handle);
  let results = (outs HLO_Tensor:$result);
  let hasVerifier = 1;
}

class StableHLO_IdOp<string mnemonic> : StableHLO_Op<mnemonic, [Pure]> {
  let results = (outs HLO_ScalarIntTensor:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHLO_PartitionIdOp : StableHLO_IdOp<"partition_id">;
def StableHLO_ReplicaIdOp : StableHLO_IdOp<"replica_id">;

#endif // PARTOPT_STABLEHLO_COLLECTIVE_OPS_TD
