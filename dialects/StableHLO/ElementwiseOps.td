//===- ElementwiseOps.td - one result element from one of each operand ----===//
//
// Arithmetic, logic, comparison, selection and conversion. All carry the trait
// `Elementwise`, so a rule or a kernel is written once for the whole kind.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_ELEMENTWISE_OPS_TD
#define PARTOPT_STABLEHLO_ELEMENTWISE_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

class StableHLO_ElementwiseOp<string mnemonic, list<Trait> traits>
    : StableHLO_Op<mnemonic, !listconcat([Pure, HLO_Elementwise], traits)>;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

class StableHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic,
                              !listconcat([HLO_SameTypes, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(
      type($operand), type($result))
  }];
}

// A function whose result may be asked to be more or less exact.
class StableHLO_FunctionOp<string mnemonic, Type type = HLO_FpOrComplexTensor>
    : StableHLO_UnaryOp<mnemonic, type, [HLO_Costly]> {
  let arguments = (ins type:$operand,
                       OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy);
}

// The result differs from the operand in the element type.
class StableHLO_UnaryToOtherOp<string mnemonic, Type from, Type to,
                               list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic,
          !listconcat([HLO_SameShapes], traits)> {
  let arguments = (ins from:$operand);
  let results = (outs to:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", HLO_FpTensor>;
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", HLO_IntTensor>;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", HLO_FpTensor>;
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", HLO_IntFpOrComplexTensor> {
  let hasFolder = 1;
}
def StableHLO_NotOp : StableHLO_UnaryOp<"not", HLO_PredOrIntTensor> {
  let hasFolder = 1;
}
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", HLO_IntTensor>;
def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz", HLO_FpTensor>;
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", HLO_FpTensor>;
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", HLO_IntFpOrComplexTensor>;

def StableHLO_CbrtOp : StableHLO_FunctionOp<"cbrt">;
def StableHLO_CosineOp : StableHLO_FunctionOp<"cosine">;
def StableHLO_ExpOp : StableHLO_FunctionOp<"exponential">;
def StableHLO_Expm1Op : StableHLO_FunctionOp<"exponential_minus_one">;
def StableHLO_LogOp : StableHLO_FunctionOp<"log">;
def StableHLO_Log1pOp : StableHLO_FunctionOp<"log_plus_one">;
def StableHLO_LogisticOp : StableHLO_FunctionOp<"logistic">;
def StableHLO_RsqrtOp : StableHLO_FunctionOp<"rsqrt">;
def StableHLO_SineOp : StableHLO_FunctionOp<"sine">;
def StableHLO_SqrtOp : StableHLO_FunctionOp<"sqrt">;
def StableHLO_TanOp : StableHLO_FunctionOp<"tan">;
def StableHLO_TanhOp : StableHLO_FunctionOp<"tanh">;

// The absolute value of a complex number is real.
def StableHLO_AbsOp : StableHLO_ElementwiseOp<"abs", [HLO_SameShapes]> {
  let arguments = (ins HLO_IntFpOrComplexTensor:$operand);
  let results = (outs HLO_IntFpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(
      type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_ConvertOp
    : StableHLO_ElementwiseOp<"convert", [HLO_SameShapes]> {
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(
      type($operand), type($result))
  }];
  let hasFolder = 1;
}

def StableHLO_IsFiniteOp
    : StableHLO_UnaryToOtherOp<"is_finite", HLO_FpTensor, HLO_PredTensor> {
  let hasVerifier = 0;
}
def StableHLO_RealOp : StableHLO_UnaryToOtherOp<"real", HLO_FpOrComplexTensor,
                                                HLO_FpTensor>;
def StableHLO_ImagOp : StableHLO_UnaryToOtherOp<"imag", HLO_FpOrComplexTensor,
                                                HLO_FpTensor>;

def StableHLO_ReducePrecisionOp
    : StableHLO_ElementwiseOp<"reduce_precision", [HLO_SameTypes, SameOperandsAndResultType]> {
  let arguments = (ins HLO_FpTensor:$operand, I32Attr:$exponent_bits,
                       I32Attr:$mantissa_bits);
  let results = (outs HLO_FpTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>(
      $exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

class StableHLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_ElementwiseOp<mnemonic,
                              !listconcat([HLO_SameTypes, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(
      type($lhs), type($rhs), type($result))
  }];
}

class StableHLO_FoldingBinaryOp<string mnemonic, Type type,
                                list<Trait> traits = []>
    : StableHLO_BinaryOp<mnemonic, type, traits> {
  let hasFolder = 1;
}

// On booleans addition is `or` and multiplication is `and`.
def StableHLO_AddOp
    : StableHLO_FoldingBinaryOp<"add", HLO_Tensor, [Commutative]>;
def StableHLO_DivOp
    : StableHLO_FoldingBinaryOp<"divide", HLO_IntFpOrComplexTensor,
                                [HLO_Costly]>;
def StableHLO_MaxOp
    : StableHLO_FoldingBinaryOp<"maximum", HLO_Tensor, [Commutative]>;
def StableHLO_MinOp
    : StableHLO_FoldingBinaryOp<"minimum", HLO_Tensor, [Commutative]>;
def StableHLO_MulOp
    : StableHLO_FoldingBinaryOp<"multiply", HLO_Tensor, [Commutative]>;
def StableHLO_SubtractOp
    : StableHLO_FoldingBinaryOp<"subtract", HLO_IntFpOrComplexTensor>;
def StableHLO_AndOp
    : StableHLO_FoldingBinaryOp<"and", HLO_PredOrIntTensor, [Commutative]>;
def StableHLO_OrOp
    : StableHLO_FoldingBinaryOp<"or", HLO_PredOrIntTensor, [Commutative]>;
def StableHLO_XorOp
    : StableHLO_FoldingBinaryOp<"xor", HLO_PredOrIntTensor, [Commutative]>;
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", HLO_FpOrComplexTensor,
                                           [HLO_Costly]>;
def StableHLO_PowOp : StableHLO_BinaryOp<"power", HLO_IntFpOrComplexTensor,
                                         [HLO_Costly]>;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", HLO_IntFpOrComplexTensor,
                                         [HLO_Costly]>;
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", HLO_IntTensor>;
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", HLO_IntTensor>;
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", HLO_IntTensor>;

def StableHLO_ComplexOp
    : StableHLO_ElementwiseOp<"complex", [HLO_SameShapes]> {
  let arguments = (ins HLO_FpTensor:$lhs, HLO_FpTensor:$rhs);
  let results = (outs HLO_ComplexTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<ComplexOpType>(
      type($lhs), type($rhs), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_CompareOp
    : StableHLO_ElementwiseOp<"compare", [HLO_SameShapes,
          DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs,
      StableHLO_ComparisonDirectionAttr:$comparison_direction,
      OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs HLO_PredTensor:$result);
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)?
      attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "ComparisonDirection":$direction,
      CArg<"ComparisonType", "ComparisonType::NOTYPE">:$type)>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def StableHLO_ClampOp
    : StableHLO_ElementwiseOp<"clamp", []> {
  let arguments = (ins HLO_IntFpOrComplexTensor:$min,
                       HLO_IntFpOrComplexTensor:$operand,
                       HLO_IntFpOrComplexTensor:$max);
  let results = (outs HLO_IntFpOrComplexTensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<SameOperandsAndResultType>(
      type($min), type($operand), type($max), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$min, "::mlir::Value":$operand,
                                 "::mlir::Value":$max), [{
    build($_builder, $_state, operand.getType(), min, operand, max);
  }]>];
  let hasVerifier = 1;
}

def StableHLO_SelectOp
    : StableHLO_ElementwiseOp<"select", []> {
  let arguments = (ins HLO_PredTensor:$pred, HLO_Tensor:$on_true,
                       HLO_Tensor:$on_false);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(
      type($pred), type($on_true), type($on_false), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pred, "::mlir::Value":$onTrue,
                                 "::mlir::Value":$onFalse), [{
    build($_builder, $_state, onTrue.getType(), pred, onTrue, onFalse);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // PARTOPT_STABLEHLO_ELEMENTWISE_OPS_TD
