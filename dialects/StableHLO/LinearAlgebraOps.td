//===- LinearAlgebraOps.td - products, convolutions, transforms, solvers --===//
//
// Ops that contract or transform whole dimensions, and random numbers.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_LINEAR_ALGEBRA_OPS_TD
#define PARTOPT_STABLEHLO_LINEAR_ALGEBRA_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision of each operand">;

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let description = [{
    The result has the batching dimensions, then the free dimensions of the left
    operand, then those of the right one. Its element type may be wider than
    the operands'.
  }];
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
      StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
      OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config,
      OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
      `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      OptionalAttr<I64ElementsAttr>:$padding,
      OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
      OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
      OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
      I64Attr:$feature_group_count, I64Attr:$batch_group_count,
      OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=`
      custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` `` custom<WindowAttributes>($window_strides, $padding,
        $lhs_dilation, $rhs_dilation, $window_reversal) `` `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_FftOp : StableHLO_Op<"fft", [Pure]> {
  let arguments = (ins HLO_FpOrComplexTensor:$operand,
                       StableHLO_FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs HLO_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` $fft_length attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CholeskyOp
    : StableHLO_Op<"cholesky", [Pure, HLO_SameTypes, SameOperandsAndResultType]> {
  let arguments = (ins HLO_FpOrComplexTensor:$a,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs HLO_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
      custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_TriangularSolveOp : StableHLO_Op<"triangular_solve",
    [Pure, HLO_SameElements]> {
  let arguments = (ins HLO_FpOrComplexTensor:$a, HLO_FpOrComplexTensor:$b,
                       BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal,
                       StableHLO_TransposeAttr:$transpose_a);
  let results = (outs HLO_FpOrComplexTensor:$result);
  let hasVerifier = 1;
}

def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let arguments = (ins HLO_Tensor:$a, HLO_Tensor:$b, HLO_IntTensor:$shape,
                       StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator",
    [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let description = [{
    The state is a key and a counter of one word, or, for Philox, of two; it is
    also what is returned, with the counter behind the last block used. DEFAULT
    is Philox. The bits are those of XLA's CPU backend.
  }];
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm,
                       HLO_IntTensor:$initial_state);
  let results = (outs HLO_IntTensor:$output_state, HLO_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // PARTOPT_STABLEHLO_LINEAR_ALGEBRA_OPS_TD
