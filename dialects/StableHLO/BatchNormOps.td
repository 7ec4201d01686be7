//===- BatchNormOps.td - normalisation over a batch as one op -------------===//
//
// Import expands these into reductions and elementwise ops; no later stage sees
// them.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_STABLEHLO_BATCH_NORM_OPS_TD
#define PARTOPT_STABLEHLO_BATCH_NORM_OPS_TD

include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_BatchNormInferenceOp : StableHLO_Op<"batch_norm_inference", [Pure]> {
  let description = "Normalises every feature with given statistics.";
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale,
                       HLO_FpTensor:$offset, HLO_FpTensor:$mean,
                       HLO_FpTensor:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$result);
  let hasVerifier = 1;
}

def StableHLO_BatchNormTrainingOp : StableHLO_Op<"batch_norm_training", [Pure]> {
  let description = "Normalises every feature with its own mean and variance.";
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale,
                       HLO_FpTensor:$offset, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$output, HLO_FpTensor:$batch_mean,
                      HLO_FpTensor:$batch_var);
  let hasVerifier = 1;
}

def StableHLO_BatchNormGradOp : StableHLO_Op<"batch_norm_grad", [Pure]> {
  let description = "The gradients of batch_norm_training.";
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale,
                       HLO_FpTensor:$mean, HLO_FpTensor:$variance,
                       HLO_FpTensor:$grad_output, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$grad_operand, HLO_FpTensor:$grad_scale,
                      HLO_FpTensor:$grad_offset);
  let hasVerifier = 1;
}

#endif // PARTOPT_STABLEHLO_BATCH_NORM_OPS_TD
