// RUN: partopt-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}))' | FileCheck %s

// Two layers, each a product and a sine. The second stage begins at the second
// product. The gradient that the first stage waits for is the second's I; weights'
// gradients are W on both, and on the first so is everything that its one weight
// alone needs. The slice of the batch has no stage, and the accumulators go with
// what they add.
// CHECK-LABEL: func.func @main
// CHECK: comm.loop_begin
// CHECK-NEXT: stablehlo.dynamic_slice %{{.*}} sizes = [4, 8] : 
// CHECK-NEXT: dot_general %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: sine %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: dot_general %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: sine %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: reduce{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: add %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: cosine %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "I"}
// CHECK-NEXT: dot_general %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: add %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: dot_general %{{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "I"}
// CHECK-NEXT: cosine %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: multiply %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: dot_general %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: add %{{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "W"}
// CHECK-NEXT: comm.loop_end
func.func @main(%w0: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %w1: tensor<8x32xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                %x: tensor<16x8xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>, tensor<8x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %z0 = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %z1 = stablehlo.constant dense<0.0> : tensor<8x32xf32>
  %i, %l, %a0, %a1 = comm.loop_begin "micro" = 4 (%zero, %z0, %z1) : (tensor<f32>, tensor<8x8xf32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<f32>, tensor<8x8xf32>, tensor<8x32xf32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y0 = stablehlo.sine %h0 : tensor<4x8xf32>
  %h1 = stablehlo.dot_general %y0, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
  %y1 = stablehlo.sine %h1 : tensor<4x32xf32>
  %loss = stablehlo.reduce(%y1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %d1 = stablehlo.cosine %h1 : tensor<4x32xf32>
  %g1 = stablehlo.dot_general %y0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %n1 = stablehlo.add %a1, %g1 : tensor<8x32xf32>
  %dy = stablehlo.dot_general %d1, %w1, contracting_dims = [1] x [1] : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
  %c = stablehlo.cosine %h0 : tensor<4x8xf32>
  %d0 = stablehlo.multiply %dy, %c : tensor<4x8xf32>
  %g0 = stablehlo.dot_general %rows, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n0 = stablehlo.add %a0, %g0 : tensor<8x8xf32>
  %sum, %s0, %s1 = comm.loop_end (%nl, %n0, %n1) : (tensor<f32>, tensor<8x8xf32>, tensor<8x32xf32>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8x32xf32>)
  %r0 = stablehlo.subtract %w0, %s0 : tensor<8x8xf32>
  %r1 = stablehlo.subtract %w1, %s1 : tensor<8x32xf32>
  return %sum, %r0, %r1 : tensor<f32>, tensor<8x8xf32>, tensor<8x32xf32>
}
