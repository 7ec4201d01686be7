// RUN: partopt-opt %s --pass-pipeline='builtin.module(partopt-choose-recompute{mode=selective})' | FileCheck %s
// RUN: not partopt-opt %s --pass-pipeline='builtin.module(partopt-choose-recompute{mode=layer})' 2>&1 | FileCheck %s --check-prefix=LAYERS

// Elementwise ops, what is spread, and products of activations that make more than
// they read are computed again; products with parameters, sums, copies of parameters
// and the backward part are not.
// CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
// CHECK: stablehlo.dot_general {{.*}} : (tensor<16x4xf32>, tensor<2x4xf32>) -> tensor<16x2xf32>
// CHECK: stablehlo.tanh %{{.*}} {partopt.recompute} : tensor<16x2xf32>
// CHECK: stablehlo.dot_general {{.*}}partopt.recompute{{.*}} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x16xf32>
// CHECK: stablehlo.exponential %{{.*}} {partopt.recompute}
// CHECK: stablehlo.reduce
// CHECK-NOT: partopt.recompute
// LAYERS: error: --recompute layer: the model has no layers that repeat
func.func public @main(%w: tensor<4x2xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32}, %x: tensor<16x4xf32> {partopt.role = "batch"}) -> (tensor<4x2xf32>, tensor<f32> {partopt.loss}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %v = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<16x4xf32>, tensor<2x4xf32>) -> tensor<16x2xf32>
  %t = stablehlo.tanh %y : tensor<16x2xf32>
  %scores = stablehlo.dot_general %t, %t, contracting_dims = [1] x [1] : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x16xf32>
  %e = stablehlo.exponential %scores : tensor<16x16xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<f32>
  %d = stablehlo.dot_general %e, %t, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<16x4xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  %new = stablehlo.subtract %w, %g : tensor<4x2xf32>
  return %new, %loss : tensor<4x2xf32>, tensor<f32>
}
