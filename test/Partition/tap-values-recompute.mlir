// RUN: partopt-opt %s --partopt-recompute --partopt-tap-values | FileCheck %s

// Values keep the order of the program when the backward part takes what was written
// early (%d), and are the originals, not what is computed anew.
// CHECK-LABEL: func.func public @main
// CHECK: %[[Y:.+]] = stablehlo.dot_general %arg1, %arg0
// CHECK-NEXT: %[[T:.+]] = stablehlo.tanh %[[Y]]
// CHECK: %[[LOSS:.+]] = stablehlo.reduce(%[[T]]
// CHECK: %[[AGAIN:.+]] = stablehlo.tanh
// CHECK: %[[D:.+]] = stablehlo.multiply %[[AGAIN]], %[[AGAIN]]
// CHECK: %[[G:.+]] = stablehlo.dot_general %arg1, %[[D]]
// CHECK: %[[NEW:.+]] = stablehlo.subtract
// CHECK: return %[[NEW]], %[[LOSS]], %[[Y]], %[[T]], %[[D]], %[[LOSS]], %[[G]], %[[NEW]] :
func.func public @main(%w: tensor<4x3xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32> {partopt.role = "batch"}) -> (tensor<4x3xf32>, tensor<f32> {partopt.loss}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %t = stablehlo.tanh %y {partopt.recompute} : tensor<8x3xf32>
  %d = stablehlo.multiply %t, %t : tensor<8x3xf32>
  %loss = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %new = stablehlo.subtract %w, %g : tensor<4x3xf32>
  return %new, %loss : tensor<4x3xf32>, tensor<f32>
}
