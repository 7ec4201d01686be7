//===- IndexingOps.td - reading and writing parts of a tensor -------------===//
//
// Slices at places known when compiling, at places known when running, and
// whole tables of places (gather, scatter).
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_INDEXING_OPS_TD
#define PARTOPT_STABLEHLO_INDEXING_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_SliceOp
    : StableHLO_Op<"slice", [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
      attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
      "::llvm::ArrayRef<int64_t>":$startIndices,
      "::llvm::ArrayRef<int64_t>":$limitIndices,
      "::llvm::ArrayRef<int64_t>":$strides)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_DynamicSliceOp : StableHLO_Op<"dynamic_slice", [Pure]> {
  let description = [{
    A start that would leave the operand is moved back until the slice fits.
  }];
  let arguments = (ins HLO_Tensor:$operand,
                       Variadic<HLO_ScalarIntTensor>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=`
      $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_DynamicUpdateSliceOp
    : StableHLO_Op<"dynamic_update_slice", [Pure]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$update,
                       Variadic<HLO_ScalarIntTensor>:$start_indices);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
                                 "::mlir::Value":$update,
                                 "::mlir::ValueRange":$startIndices), [{
    build($_builder, $_state, operand.getType(), operand, update, startIndices);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def StableHLO_GatherOp : StableHLO_Op<"gather", [Pure]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_IntTensor:$start_indices,
      StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
      DenseI64ArrayAttr:$slice_sizes,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs HLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ScatterOp : StableHLO_Op<"scatter",
    [SameVariadicOperandSize, RecursiveMemoryEffects,
     RecursivelySpeculatable]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
      HLO_IntTensor:$scatter_indices, Variadic<HLO_Tensor>:$updates,
      StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}

#endif // PARTOPT_STABLEHLO_INDEXING_OPS_TD
