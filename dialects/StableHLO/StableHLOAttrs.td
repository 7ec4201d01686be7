//===- StableHLOAttrs.td - the structured attributes of ops ---------------===//
//
// Dimension numbers and handles. All are printed as `#stablehlo.name<field =
// value, ...>` with empty fields left out; fields are parsed in any order.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_ATTRS_TD
#define PARTOPT_STABLEHLO_ATTRS_TD

include "dialects/StableHLO/StableHLOEnums.td"

class StableHLO_Attr<string name, string attrMnemonic>
    : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_Dims : ArrayRefParameter<"int64_t", "dimensions">;

def StableHLO_DotDimensionNumbersAttr
    : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "Batching and contracting dimensions of a matrix product";
  let parameters = (ins
    StableHLO_Dims:$lhsBatchingDimensions,
    StableHLO_Dims:$rhsBatchingDimensions,
    StableHLO_Dims:$lhsContractingDimensions,
    StableHLO_Dims:$rhsContractingDimensions
  );
}

def StableHLO_DotAlgorithmAttr
    : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "The numeric recipe of a matrix product";
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType,
    "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation
  );
}

def StableHLO_GatherDimensionNumbersAttr
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "Which dimensions a gather slices, collapses and batches";
  let parameters = (ins
    StableHLO_Dims:$offsetDims,
    StableHLO_Dims:$collapsedSliceDims,
    StableHLO_Dims:$operandBatchingDims,
    StableHLO_Dims:$startIndicesBatchingDims,
    StableHLO_Dims:$startIndexMap,
    "int64_t":$indexVectorDim
  );
}

def StableHLO_ScatterDimensionNumbersAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "Which dimensions a scatter writes, inserts and batches";
  let parameters = (ins
    StableHLO_Dims:$updateWindowDims,
    StableHLO_Dims:$insertedWindowDims,
    StableHLO_Dims:$inputBatchingDims,
    StableHLO_Dims:$scatterIndicesBatchingDims,
    StableHLO_Dims:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim
  );
}

def StableHLO_ConvDimensionNumbersAttr
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "Roles of the dimensions of a convolution's three tensors";
  let description = [{
    `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: b batch,
    f feature, i and o the kernel's input and output feature, numbers the
    spatial dimensions.
  }];
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    StableHLO_Dims:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    StableHLO_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    StableHLO_Dims:$outputSpatialDimensions
  );
}

def StableHLO_ChannelHandleAttr
    : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "The channel of a collective";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "An operand whose buffer a custom call's result takes";
  let parameters = (ins
    StableHLO_Dims:$outputTupleIndices,
    "int64_t":$operandIndex,
    StableHLO_Dims:$operandTupleIndices
  );
}

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "How exact the result of a transcendental function must be";
  let parameters = (ins
    APFloatParameter<"absolute tolerance">:$atol,
    APFloatParameter<"relative tolerance">:$rtol,
    "int64_t":$ulps,
    "ResultAccuracyModeAttr":$mode
  );
}

#endif // PARTOPT_STABLEHLO_ATTRS_TD
