// The sdy dialect and its enums: Shardy's vocabulary of meshes and shardings,
// compatible with the text that JAX writes.

#ifndef PARTOPT_SDY_BASE
#define PARTOPT_SDY_BASE

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::partopt::sdy";
  let summary = "Meshes, tensor shardings and the ops that carry them";
  let description = [{
    Text and semantics follow Shardy. A value's sharding lives in the attribute
    `sdy.sharding`: on function arguments and results a `#sdy.sharding`, on other
    ops a `#sdy.sharding_per_value` with one entry per result.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Sdy_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 1;
  let cppNamespace = Sdy_Dialect.cppNamespace;
}

// The larger value lets more through; FORWARD and BACKWARD are bits of BOTH.
def Sdy_PropagationDirection : Sdy_I32Enum<"PropagationDirection",
    "directions in which a sharding may flow", [
      I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
      I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]>;

def Sdy_ReductionKind : Sdy_I32Enum<"ReductionKind",
    "the combiner of partial values", [
      I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
      I32EnumAttrCase<"MIN", 2, "min">]>;

#endif
