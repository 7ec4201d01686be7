//===- ChloOps.td - special functions and top_k ---------------------------===//
#ifndef PARTOPT_CHLO_OPS_TD
#define PARTOPT_CHLO_OPS_TD

include "dialects/StableHLO/StableHLOBase.td"

class Chlo_UnaryOp<string mnemonic, Type type = HLO_FpOrComplexTensor,
                   list<Trait> traits = [HLO_Costly]>
    : Chlo_Op<mnemonic, !listconcat([Pure, HLO_Elementwise, HLO_SameTypes,
                                     SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
}

def Chlo_AcosOp : Chlo_UnaryOp<"acos">;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh">;
def Chlo_AsinOp : Chlo_UnaryOp<"asin">;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh">;
def Chlo_AtanOp : Chlo_UnaryOp<"atan">;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh">;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", HLO_FpTensor>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", HLO_IntFpOrComplexTensor, []>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh">;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", HLO_FpTensor>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", HLO_FpTensor>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", HLO_FpTensor>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", HLO_FpTensor>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", HLO_FpTensor>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh">;
def Chlo_SquareOp : Chlo_UnaryOp<"square", HLO_FpOrComplexTensor, []>;
def Chlo_TanOp : Chlo_UnaryOp<"tan">;

class Chlo_PredicateOp<string mnemonic>
    : Chlo_Op<mnemonic, [Pure, HLO_Elementwise, HLO_SameShapes]> {
  let arguments = (ins HLO_FpTensor:$operand);
  let results = (outs HLO_PredTensor:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` type($operand) `->` type($result)
  }];
}

def Chlo_IsInfOp : Chlo_PredicateOp<"is_inf">;
def Chlo_IsNegInfOp : Chlo_PredicateOp<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_PredicateOp<"is_pos_inf">;

class Chlo_BinaryOp<string mnemonic, string left, string right>
    : Chlo_Op<mnemonic, [Pure, HLO_Elementwise, HLO_Costly, HLO_SameTypes,
                         SameOperandsAndResultType]> {
  let arguments = !dag(ins, [HLO_FpTensor, HLO_FpTensor], [left, right]);
  let results = (outs HLO_FpTensor:$result);
  let assemblyFormat = "$" # left # " `,` $" # right # " attr-dict `:` type($"
      # left # ") `,` type($" # right # ") `->` type($result)";
}

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", "x", "y">;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", "n", "x">;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", "x", "q">;

def Chlo_TopKOp : Chlo_Op<"top_k",
    [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let description = [{
    The k largest values of the last dimension, largest first, and their places;
    of equal values the first comes first.
  }];
  let arguments = (ins HLO_Tensor:$operand, I64Attr:$k);
  let results = (outs HLO_Tensor:$values, HLO_IntTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->`
      `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

#endif // PARTOPT_CHLO_OPS_TD
