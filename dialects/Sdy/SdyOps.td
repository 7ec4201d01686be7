// The ops of sdy: meshes, constraints, regions with their own shardings, and
// the collectives that reshards become.

#ifndef PARTOPT_SDY_OPS
#define PARTOPT_SDY_OPS

include "dialects/Sdy/SdyAttrs.td"
include "dialects/Sdy/SdyInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A named mesh";
  let description = "`sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>`";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

// An identity with a sharding beside it.
class Sdy_AnnotationOp<string mnemonic, list<Trait> traits = []>
    : Sdy_Op<mnemonic, traits # [SameOperandsAndResultType]> {
  let arguments = (ins AnyTensor:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp : Sdy_AnnotationOp<"sharding_constraint"> {
  let summary = "States how a value, or its uses, are to be sharded";
  let description = [{
    Without uses it speaks of the operand itself, otherwise of the uses of its
    result only.
  }];
}

def Sdy_ReshardOp : Sdy_AnnotationOp<"reshard", [Pure]> {
  let summary = "Changes the sharding of a value";
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "Ends the regions of sdy ops";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange());
  }]>];
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
     IsolatedFromAbove]> {
  let summary = "A region in terms of local shapes over some axes";
  let description = [{
    Inside, shapes are local over `manual_axes`; collectives over those axes are
    written out. All other axes still propagate.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors,
      Sdy_TensorShardingPerValue:$in_shardings,
      Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)` `in_shardings` `` `=` `` custom<BareShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<BareShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes custom<BodyWithArgs>($body)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation",
    [RecursiveMemoryEffects, RecursivelySpeculatable, IsolatedFromAbove,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "A region with a name: a call kept in place";
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
      OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
      OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<BareShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<BareShardings>($out_shardings)^)?
    custom<BodyWithArgs>($body) attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "All values of one group get the same sharding";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = [{
    $input `group_id` `` `=` `` $group_id attr-dict `:` type($input)
  }];
}

def Sdy_ConstantOp : Sdy_Op<"constant",
    [Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "A constant that does not fold";
  let description = [{
    Not ConstantLike on purpose: folding would merge equal constants, but each
    use may need its own sharding.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StaticShapeTensorOf<[AnyType]>:$output);
  let assemblyFormat = "attr-dict $value";
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "Holds the sharding of one edge into or out of a region";
  let description = [{
    The operand is the edge's owner, a result or block argument of an op such as
    `stablehlo.while`, and has no other use.
  }];
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = [{
    $input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge",
    [SameOperandsAndResultType]> {
  let summary = "Marks a function's argument or a call's result as an edge";
  let arguments = (ins AnyShaped:$input);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier",
    [Pure, SameOperandsAndResultType]> {
  let summary = "An identity that shardings cross in one direction or not at all";
  let arguments = (ins AnyRankedTensor:$input,
                       Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `allowed_direction` `` `=` `` $allowed_direction attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
}

// Collectives: identities in global types that move `tensor` from its sharding
// to `out_sharding`.
class Sdy_CollectiveOp<string mnemonic, dag axes, string axesText,
                       Trait interface = Sdy_CollectiveOpInterface>
    : Sdy_Op<mnemonic, [SameOperandsAndResultType, interface]> {
  let arguments = !con((ins AnyTensor:$tensor), axes,
                       (ins Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyTensor:$result);
  let assemblyFormat = axesText # [{
    $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Sdy_InputMayBeBare : DeclareOpInterfaceMethods<Sdy_CollectiveOpInterface,
                                                ["allowMissingInputSharding"]>;

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather",
    (ins Sdy_ListOfAxisRefLists:$gathering_axes), "$gathering_axes"> {
  let summary = "Drops minor axes from dimensions";
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice",
    (ins Sdy_ListOfAxisRefLists:$slicing_axes), "$slicing_axes",
    Sdy_InputMayBeBare> {
  let summary = "Appends axes to dimensions; moves nothing";
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all",
    (ins Sdy_AllToAllParamList:$params), "$params"> {
  let summary = "Moves minor axes from one dimension to another";
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", (ins), "",
    DeclareOpInterfaceMethods<Sdy_CollectiveOpInterface,
                              ["allowDifferentMeshes"]>> {
  let summary = "Exchanges axes; the shard count of each dimension stays";
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce",
    (ins DefaultValuedOptionalAttr<Sdy_ReductionKind,
             "::partopt::sdy::ReductionKind::SUM">:$reduction_kind,
         Sdy_AxisRefList:$reduction_axes),
    "(custom<Kind>($reduction_kind)^)? $reduction_axes", Sdy_InputMayBeBare> {
  let summary = "Combines partial values over axes";
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter",
    (ins DefaultValuedOptionalAttr<Sdy_ReductionKind,
             "::partopt::sdy::ReductionKind::SUM">:$reduction_kind,
         Sdy_ListOfAxisRefLists:$reduce_scatter_axes),
    "(custom<Kind>($reduction_kind)^)? $reduce_scatter_axes", Sdy_InputMayBeBare> {
  let summary = "Combines partial values over axes and keeps a slice";
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
    (ins Sdy_ListOfAxisRefLists:$axes), "$axes"> {
  let summary = "Each device keeps its piece, padded with the identity";
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced",
    (ins Sdy_AxisRefList:$axes), "$axes", Sdy_InputMayBeBare> {
  let summary = "One device keeps the value, the others the identity";
}

#endif
