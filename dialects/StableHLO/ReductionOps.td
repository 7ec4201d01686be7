//===- ReductionOps.td - ops that fold dimensions by a region -------------===//
//
// Reductions, windows and sorting: ops with a computation on scalars.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_REDUCTION_OPS_TD
#define PARTOPT_STABLEHLO_REDUCTION_OPS_TD

include "dialects/StableHLO/StableHLOAttrs.td"

class StableHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, !listconcat(
          [RecursiveMemoryEffects, RecursivelySpeculatable], traits)>;

def StableHLO_ReduceOp
    : StableHLO_RegionOp<"reduce", [SameVariadicOperandSize]> {
  let description = [{
    The region takes the left values of all inputs, then the right ones. It
    must be associative; `init_values` its neutral elements.
  }];
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       Variadic<HLO_Tensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def StableHLO_ReduceWindowOp
    : StableHLO_RegionOp<"reduce_window", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       Variadic<HLO_Tensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def StableHLO_SelectAndScatterOp : StableHLO_RegionOp<"select_and_scatter"> {
  let description = "The gradient of a maximum over windows.";
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$source,
                       HLO_Tensor:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs HLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
}

def StableHLO_SortOp : StableHLO_RegionOp<"sort"> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
}

def StableHLO_MapOp
    : StableHLO_RegionOp<"map", [HLO_SameShapes]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

#endif // PARTOPT_STABLEHLO_REDUCTION_OPS_TD
