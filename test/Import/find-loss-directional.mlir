// A directional derivative of the loss is computed of the same values, and
// stands in front of it here; the update has no derivative that needs its
// direction.
// RUN: partopt-opt %s -split-input-file -partopt-assign-roles | FileCheck %s

// The gradient has a forward part for itself.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.loss, partopt.name = "out2"
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32>, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %twos = stablehlo.constant dense<2.0> : tensor<8x4xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dv = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dd = stablehlo.multiply %d, %d : tensor<8x4xf32>
  %d2 = stablehlo.multiply %twos, %d : tensor<8x4xf32>
  %ddv = stablehlo.multiply %dv, %d2 : tensor<8x4xf32>
  %loss = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %slope = stablehlo.reduce(%ddv init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %twos_again = stablehlo.constant dense<2.0> : tensor<8x4xf32>
  %d_again = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %d2_again = stablehlo.multiply %twos_again, %d_again : tensor<8x4xf32>
  %g = stablehlo.dot_general %x, %d2_again, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %g : tensor<4x4xf32>
  return %new_w, %slope, %loss : tensor<4x4xf32>, tensor<f32>, tensor<f32>
}

// -----

// What is called after the loss's derivative is not called loss.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.loss, partopt.name = "result[1]['value']"
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32>, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<f32> {jax.result_info = "result[1]['loss_tangent']"}, tensor<f32> {jax.result_info = "result[1]['value']"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %dv = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %d : tensor<8x4xf32>
  %ev = stablehlo.multiply %dv, %e : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %slope = stablehlo.reduce(%ev init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %g : tensor<4x4xf32>
  return %new_w, %slope, %loss : tensor<4x4xf32>, tensor<f32>, tensor<f32>
}

// -----

// A scalar that is trained too, without saying what it becomes, is no loss.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.loss, partopt.name = "out2"
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<f32>, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %bs = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %d = stablehlo.add %xw, %bs : tensor<8x4xf32>
  %e = stablehlo.exponential %d : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gb = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %g : tensor<4x4xf32>
  %new_b = stablehlo.subtract %b, %gb : tensor<f32>
  return %new_w, %new_b, %loss : tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
