// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s

// One factor of a norm scales the gradients of two stages. Each parameter is updated where
// it is used; between ranks only numbers move behind the loops: a part of the norm, and
// the factor.

// CHECK-LABEL: func.func @main_rank0
// CHECK-SAME: %arg0: tensor<8x8xf32> {partopt.argument = 0 : i64
// CHECK-NOT: partopt.argument = 1
// CHECK-SAME: -> (tensor<8x8xf32> {partopt.result = 1 : i64})
// CHECK: partopt.stage_part = "W"
// CHECK: comm.loop_end
// CHECK-NOT: comm.{{send|recv}} {{.*}}tensor<8x8xf32>
// CHECK: %[[SCALE:.+]] = stablehlo.broadcast_in_dim
// CHECK-NOT: comm.{{send|recv}} {{.*}}tensor<8x8xf32>
// CHECK: stablehlo.multiply %{{.*}}, %[[SCALE]]
// CHECK: stablehlo.subtract %arg0
// CHECK: return

// CHECK-LABEL: func.func @main_rank1
// CHECK-SAME: %arg0: tensor<8x8xf32> {partopt.argument = 1 : i64
// CHECK: partopt.stage_part = "W"
// CHECK: comm.loop_end
// CHECK-NOT: comm.{{send|recv}} {{.*}}tensor<8x8xf32>
// CHECK: %[[OTHER:.+]] = stablehlo.broadcast_in_dim
// CHECK-NOT: comm.{{send|recv}} {{.*}}tensor<8x8xf32>
// CHECK: stablehlo.multiply %{{.*}}, %[[OTHER]]
// CHECK: stablehlo.subtract %arg0
// CHECK: return
func.func @main(%w0: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %w1: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                %x: tensor<16x8xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %i, %l, %a0, %a1 = comm.loop_begin "micro" = 4 (%zero, %zeros, %zeros) : (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y0 = stablehlo.sine %h0 : tensor<4x8xf32>
  %h1 = stablehlo.dot_general %y0, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y1 = stablehlo.sine %h1 : tensor<4x8xf32>
  %loss = stablehlo.reduce(%y1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %d1 = stablehlo.cosine %h1 : tensor<4x8xf32>
  %g1 = stablehlo.dot_general %y0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n1 = stablehlo.add %a1, %g1 : tensor<8x8xf32>
  %dy = stablehlo.dot_general %d1, %w1, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %c = stablehlo.cosine %h0 : tensor<4x8xf32>
  %d0 = stablehlo.multiply %dy, %c : tensor<4x8xf32>
  %g0 = stablehlo.dot_general %rows, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n0 = stablehlo.add %a0, %g0 : tensor<8x8xf32>
  %sum, %s0, %s1 = comm.loop_end (%nl, %n0, %n1) : (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>)
  %q0 = stablehlo.multiply %s0, %s0 : tensor<8x8xf32>
  %p0 = stablehlo.reduce(%q0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %q1 = stablehlo.multiply %s1, %s1 : tensor<8x8xf32>
  %p1 = stablehlo.reduce(%q1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %norm = stablehlo.add %p0, %p1 : tensor<f32>
  %factor = stablehlo.rsqrt %norm : tensor<f32>
  %scale = stablehlo.broadcast_in_dim %factor, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %t0 = stablehlo.multiply %s0, %scale : tensor<8x8xf32>
  %t1 = stablehlo.multiply %s1, %scale : tensor<8x8xf32>
  %r0 = stablehlo.subtract %w0, %t0 : tensor<8x8xf32>
  %r1 = stablehlo.subtract %w1, %t1 : tensor<8x8xf32>
  return %sum, %r0, %r1 : tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>
}
