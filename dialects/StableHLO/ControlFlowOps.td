//===- ControlFlowOps.td - loops, branches, barriers and calls ------------===//
#ifndef PARTOPT_STABLEHLO_CONTROL_FLOW_OPS_TD
#define PARTOPT_STABLEHLO_CONTROL_FLOW_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_ReturnOp
    : StableHLO_Op<"return", [Pure, ReturnLike, Terminator]> {
  let arguments = (ins Variadic<HLO_TensorOrToken>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHLO_WhileOp : StableHLO_Op<"while",
    [RecursiveMemoryEffects,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let description = "Not speculatable: it need not end.";
  let arguments = (ins Variadic<HLO_TensorOrToken>:$operand);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def StableHLO_IfOp : StableHLO_Op<"if",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let arguments = (ins HLO_ScalarPredTensor:$pred);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
}

def StableHLO_CaseOp : StableHLO_Op<"case",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let description = "An index that is out of range takes the last branch.";
  let arguments = (ins HLO_ScalarIntTensor:$index);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
}

def StableHLO_OptimizationBarrierOp
    : StableHLO_Op<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<HLO_TensorOrToken>:$operand);
  let results = (outs Variadic<HLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(
      type($operand), type($result))):(`(` `)`)?
  }];
  let hasVerifier = 1;
}

def StableHLO_AfterAllOp : StableHLO_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<StableHLO_TokenType>:$inputs);
  let results = (outs StableHLO_TokenType:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($result)";
}

def StableHLO_CustomCallOp : StableHLO_Op<"custom_call",
    [MemoryEffectsOpInterface]> {
  let arguments = (ins Variadic<HLO_TensorOrToken>:$inputs,
      StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
      DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
        "::partopt::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">
        :$api_version,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr,
        "symbols of called computations">, "{}">:$called_computations,
      OptionalAttr<ArrayAttr>:$operand_layouts,
      OptionalAttr<ArrayAttr>:$result_layouts,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<
        StableHLO_OutputOperandAliasAttr, "aliases of results and operands">,
        "{}">:$output_operand_aliases);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
      functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// None unless `has_side_effect`; then it may read and write anything.
    void getEffects(::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
        ::mlir::MemoryEffects::Effect>> &effects);
  }];
}

def StableHLO_CompositeOp : StableHLO_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A named function with its decomposition";
  let arguments = (ins Variadic<HLO_TensorOrToken>:$inputs, StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
      FlatSymbolRefAttr:$decomposition,
      DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results)
  }];
}

#endif // PARTOPT_STABLEHLO_CONTROL_FLOW_OPS_TD
