//===- ShapeOps.td - constants and movements of whole dimensions ----------===//
//
// Ops that create a tensor or lay the same elements out differently; none of
// them computes with values.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_SHAPE_OPS_TD
#define PARTOPT_STABLEHLO_SHAPE_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_ConstantOp : StableHLO_Op<"constant",
    [ConstantLike, Pure,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HLO_IntFpOrComplexTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def StableHLO_BroadcastInDimOp
    : StableHLO_Op<"broadcast_in_dim", [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_Tensor:$operand,
                       DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_ReshapeOp
    : StableHLO_Op<"reshape", [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let summary = "The same bits as another element type";
  let description = [{
    Between widths that differ, the narrower side has one more, last dimension.
  }];
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_TransposeOp
    : StableHLO_Op<"transpose", [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:`
      functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
                                 "::llvm::ArrayRef<int64_t>":$permutation)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_ReverseOp
    : StableHLO_Op<"reverse", [Pure, HLO_SameTypes, SameOperandsAndResultType]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
      custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_ConcatenateOp
    : StableHLO_Op<"concatenate", [Pure, HLO_SameElements]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsThenComma>($inputs) `dim` `=` $dimension attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_PadOp
    : StableHLO_Op<"pad", [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,`
      `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // PARTOPT_STABLEHLO_SHAPE_OPS_TD
