// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s

// Parameters in shards, gathered in each microbatch, and again for the backward pass:
// where they are used, by the ranks that store them. Nothing but an activation and its
// gradient is sent.
// CHECK-LABEL: func.func @main_rank0
// CHECK-SAME: tensor<4x8xf32> {partopt.argument = 0
// CHECK-NOT: partopt.argument = 1
// CHECK: partopt.stage_part = "F"
// CHECK: %[[W:.+]] = comm.all_gather {"data"=2} dim = 0 %arg0
// CHECK-NEXT: stablehlo.dot_general %{{.+}}, %[[W]]
// CHECK-COUNT-1: comm.send
// CHECK-NOT: comm.send
// CHECK-LABEL: func.func @main_rank1
// CHECK-SAME: tensor<4x8xf32> {partopt.argument = 1
// CHECK: partopt.stage_part = "F"
// CHECK: comm.all_gather {"data"=2} dim = 0 %arg0
// CHECK: comm.loop_end
// CHECK: partopt.stage_part = "I"
// CHECK: %[[AGAIN:.+]] = comm.all_gather {"data"=2} dim = 0 %arg0
// CHECK: stablehlo.dot_general %{{.+}}, %[[AGAIN]]
// CHECK-NEXT: comm.send
func.func @main(%w0: tensor<4x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %w1: tensor<4x8xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                %x: tensor<16x8xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %i, %l, %a0, %a1 = comm.loop_begin "micro" = 4 (%zero, %z, %z) : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<i32>, tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %u0 = comm.all_gather {"data"=2} dim = 0 %w0 : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %u1 = comm.all_gather {"data"=2} dim = 0 %w1 : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %u0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h1 = stablehlo.dot_general %h0, %u1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %loss = stablehlo.reduce(%h1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %d1 = stablehlo.cosine %h1 : tensor<4x8xf32>
  %g1 = stablehlo.dot_general %h0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %p1 = comm.reduce_scatter {"data"=2} sum dim = 0 %g1 : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %n1 = stablehlo.add %a1, %p1 : tensor<4x8xf32>
  %v1 = comm.all_gather {"data"=2} dim = 0 %w1 : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %d0 = stablehlo.dot_general %d1, %v1, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g0 = stablehlo.dot_general %rows, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %p0 = comm.reduce_scatter {"data"=2} sum dim = 0 %g0 : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %n0 = stablehlo.add %a0, %p0 : tensor<4x8xf32>
  %sum, %s0, %s1 = comm.loop_end (%nl, %n0, %n1) : (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>)
  %r0 = stablehlo.subtract %w0, %s0 : tensor<4x8xf32>
  %r1 = stablehlo.subtract %w1, %s1 : tensor<4x8xf32>
  return %sum, %r0, %r1 : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
}
