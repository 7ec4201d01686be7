// RUN: partopt-opt %s --partopt-apply-tensor-parallel="sequence name=tp+sp" -verify-diagnostics

sdy.mesh @mesh = <["model"=8]>
// expected-error@+1 {{strategy tp+sp finds no sequence dimension of at least 8 beside the batch's rows in the sums that tensor parallelism leaves; use --strategy tp}}
func.func @main(%x: tensor<64x128xf32> {partopt.role = "batch"}, %up: tensor<128x512xf32> {partopt.role = "param"},
                %down: tensor<512x4xf32> {partopt.role = "param"}) -> tensor<64x4xf32> {
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  %1 = stablehlo.dot_general %0, %down, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x4xf32>) -> tensor<64x4xf32>
  return %1 : tensor<64x4xf32>
}
