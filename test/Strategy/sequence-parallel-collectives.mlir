// Many rows beside small weights: tp+sp still gathers and scatters activations, since
// weights that are split stay so. The notes say that fsdp would send less.
// RUN: partopt explain %s --mesh model=8 --strategy tp+sp --section notes | FileCheck %s --check-prefix=NOTE
// NOTE: dimension 1 (hidden size between two products, 64 elements) split over axis "model", which spares a device 2752512 operations per step for about 57351 bytes sent; its parameters are small beside the batch: gathering them and scattering their gradients would send 14336 (fsdp over this axis) [tensor-split]
// RUN: partopt explain %s --mesh model=8 --strategy tp+sp --section collectives | FileCheck %s
// CHECK: reduce_scatter {{ *}}{model} {{ *}}1 {{ *}}32768
// CHECK-NEXT: all_gather {{ *}}{model} {{ *}}1 {{ *}}32768
// CHECK-NEXT: all_reduce {{ *}}{model} {{ *}}1 {{ *}}4
// CHECK-NEXT: 3 per step
func.func @main(%x: tensor<8x64x16xf32> {partopt.role = "batch"},
                %up: tensor<16x64xf32> {partopt.role = "param"},
                %down: tensor<64x16xf32> {partopt.role = "param"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %in = stablehlo.tanh %x : tensor<8x64x16xf32>
  %0 = stablehlo.dot_general %in, %up, contracting_dims = [2] x [0] : (tensor<8x64x16xf32>, tensor<16x64xf32>) -> tensor<8x64x64xf32>
  %1 = stablehlo.tanh %0 : tensor<8x64x64xf32>
  %2 = stablehlo.dot_general %1, %down, contracting_dims = [2] x [0] : (tensor<8x64x64xf32>, tensor<64x16xf32>) -> tensor<8x64x16xf32>
  %3 = stablehlo.tanh %2 : tensor<8x64x16xf32>
  %4 = stablehlo.dot_general %3, %up, contracting_dims = [2] x [0] : (tensor<8x64x16xf32>, tensor<16x64xf32>) -> tensor<8x64x64xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x64x64xf32>, tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}
