// RUN: partopt-opt %s --partopt-recompute | FileCheck %s

// The marked value is made again, from what is kept behind a barrier, before its
// first reader in the backward part; a derivative that was written early goes to its
// reader. What only the forward part reads is not made again. Where ops were before
// is kept.
// CHECK-LABEL: func.func public @main
// CHECK: %[[Y:.+]] = stablehlo.dot_general %arg1, %arg0
// CHECK-NEXT: %[[T:.+]] = stablehlo.tanh %[[Y]] {partopt.place = 1 : i64}
// CHECK-NEXT: %[[E:.+]] = stablehlo.exponential %[[T]]
// CHECK-NOT: multiply
// CHECK: %[[LOSS:.+]] = stablehlo.reduce(%[[E]]
// CHECK: %[[KEPT:.+]] = stablehlo.optimization_barrier {partopt.copy{{.*}}} %[[Y]]
// CHECK-NEXT: %[[AGAIN:.+]] = stablehlo.tanh %[[KEPT]] {partopt.copy, partopt.place = 1 : i64}
// CHECK-NOT: exponential
// CHECK: %[[D:.+]] = stablehlo.multiply %[[AGAIN]], %[[AGAIN]] {partopt.place = 2 : i64}
// CHECK: stablehlo.dot_general %arg1, %[[D]]
// CHECK-NOT: partopt.recompute
func.func public @main(%w: tensor<4x3xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32}, %x: tensor<8x4xf32> {partopt.role = "batch"}) -> (tensor<4x3xf32>, tensor<f32> {partopt.loss}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %t = stablehlo.tanh %y {partopt.recompute} : tensor<8x3xf32>
  %d = stablehlo.multiply %t, %t : tensor<8x3xf32>
  %e = stablehlo.exponential %t {partopt.recompute} : tensor<8x3xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %new = stablehlo.subtract %w, %g : tensor<4x3xf32>
  return %new, %loss : tensor<4x3xf32>, tensor<f32>
}
