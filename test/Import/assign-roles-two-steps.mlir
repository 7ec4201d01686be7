// RUN: partopt-opt %s -partopt-assign-roles | FileCheck %s

// The loss of the second of two steps needs the gradient of the first, which
// sums over the rows of the batch: it is a batch all the same. A weight that is
// not trained, summed over by the first product that takes it, is none.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<8x4xf32> {partopt.name = "arg1", partopt.role = "batch", partopt.role_reason = "new in every step, 8 rows"
// CHECK-SAME: %arg2: tensor<8x4xf32> {partopt.name = "arg2", partopt.role = "batch", partopt.role_reason = "new in every step, 8 rows"
// CHECK-SAME: %arg3: tensor<4x4xf32> {partopt.name = "arg3", partopt.role = "unknown"
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32>, %target: tensor<8x4xf32>, %frozen: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %f0 = stablehlo.dot_general %x, %frozen, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %xw0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %y0 = stablehlo.multiply %xw0, %target : tensor<8x4xf32>
  %e0 = stablehlo.exponential %y0 : tensor<8x4xf32>
  %ge0 = stablehlo.multiply %e0, %target : tensor<8x4xf32>
  %g0 = stablehlo.dot_general %x, %ge0, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %w1 = stablehlo.subtract %w, %g0 : tensor<4x4xf32>
  %xw1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %f1 = stablehlo.add %xw1, %f0 : tensor<8x4xf32>
  %y1 = stablehlo.multiply %f1, %target : tensor<8x4xf32>
  %e1 = stablehlo.exponential %y1 : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %ge1 = stablehlo.multiply %e1, %target : tensor<8x4xf32>
  %g1 = stablehlo.dot_general %x, %ge1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %w2 = stablehlo.subtract %w1, %g1 : tensor<4x4xf32>
  return %w2, %loss : tensor<4x4xf32>, tensor<f32>
}
