// The loss that the user names, and names that cannot be one.
// RUN: partopt-opt %s '-partopt-assign-roles=loss=out3' 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: not partopt-opt %s '-partopt-assign-roles=loss=mean' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not partopt-opt %s '-partopt-assign-roles=loss=out1' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not partopt-opt %s '-partopt-assign-roles=loss=2 carries=s=out2' 2>&1 | FileCheck %s --check-prefix=CARRIED
// NAME: find-loss-given.mlir:[[@LINE+7]]:1: error: --loss 'mean': @main has no result 'mean'; give its name, or out0 to out3
// TYPE: error: --loss 'out1': result 1 of type 'tensor<4x4xf32>' is no loss, which is one float
// CARRIED: error: --loss '2': result 2 is the next value of argument 3, so it is no loss

// CHECK-LABEL: func @main
// CHECK-SAME: tensor<f32> {partopt.name = "out2"}, tensor<f32> {partopt.loss, partopt.name = "out3"}
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>, %s: tensor<f32> loc("s"))
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %half = stablehlo.divide %loss, %two : tensor<f32>
  return %new_w, %new_v, %loss, %half : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}
