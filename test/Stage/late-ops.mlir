// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s

// Behind the loop a norm over all gradients scales each of them. Squares are added
// up on each rank first, so that one number goes down; the factor comes up as one
// number and is spread where gradients are.
// CHECK-LABEL: func.func @main_rank0
// CHECK: comm.loop_end
// CHECK-COUNT-2: stablehlo.reduce
// CHECK-NOT: stablehlo.reduce
// CHECK: %[[MINE:.+]] = stablehlo.add %{{.+}}, %{{.+}} : tensor<f32>
// CHECK-NEXT: %[[THEIRS:.+]] = comm.recv {"pipe"=2} from = 1 channel = [[DOWN:[0-9]+]] : tensor<f32>
// CHECK: stablehlo.add %[[MINE]], %{{.+}} : tensor<f32>
// CHECK: %[[FACTOR:.+]] = stablehlo.rsqrt
// CHECK-NEXT: comm.send {"pipe"=2} to = 1 channel = [[UP:[0-9]+]] %[[FACTOR]] : tensor<f32>
// CHECK-COUNT-2: stablehlo.broadcast_in_dim %[[FACTOR]]
// CHECK-NOT: comm.
// CHECK: return

// CHECK-LABEL: func.func @main_rank1
// CHECK: comm.loop_end
// CHECK-COUNT-2: stablehlo.reduce
// CHECK: comm.send {"pipe"=2} to = 0 channel = [[DOWN]] %{{.+}} : tensor<f32>
// CHECK: %[[FACTOR:.+]] = comm.recv {"pipe"=2} from = 0 channel = [[UP]] : tensor<f32>
// CHECK-COUNT-2: stablehlo.broadcast_in_dim %[[FACTOR]]
// CHECK-NOT: comm.
// CHECK: return
func.func @main(%w0: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %w1: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                %w2: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 3 : i32},
                %w3: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 4 : i32},
                %x: tensor<16x8xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %i, %l, %a0, %a1, %a2, %a3 = comm.loop_begin "micro" = 4 (%zero, %z, %z, %z, %z) : (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h1 = stablehlo.dot_general %h0, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h2 = stablehlo.dot_general %h1, %w2, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h3 = stablehlo.dot_general %h2, %w3, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %loss = stablehlo.reduce(%h3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %d3 = stablehlo.cosine %h3 : tensor<4x8xf32>
  %g3 = stablehlo.dot_general %h2, %d3, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n3 = stablehlo.add %a3, %g3 : tensor<8x8xf32>
  %d2 = stablehlo.dot_general %d3, %w3, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g2 = stablehlo.dot_general %h1, %d2, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n2 = stablehlo.add %a2, %g2 : tensor<8x8xf32>
  %d1 = stablehlo.dot_general %d2, %w2, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g1 = stablehlo.dot_general %h0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n1 = stablehlo.add %a1, %g1 : tensor<8x8xf32>
  %d0 = stablehlo.dot_general %d1, %w1, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g0 = stablehlo.dot_general %rows, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n0 = stablehlo.add %a0, %g0 : tensor<8x8xf32>
  %sum, %s0, %s1, %s2, %s3 = comm.loop_end (%nl, %n0, %n1, %n2, %n3) : (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
  %q0 = stablehlo.multiply %s0, %s0 : tensor<8x8xf32>
  %q1 = stablehlo.multiply %s1, %s1 : tensor<8x8xf32>
  %q2 = stablehlo.multiply %s2, %s2 : tensor<8x8xf32>
  %q3 = stablehlo.multiply %s3, %s3 : tensor<8x8xf32>
  %t0 = stablehlo.reduce(%q0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %t1 = stablehlo.reduce(%q1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %t2 = stablehlo.reduce(%q2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %t3 = stablehlo.reduce(%q3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  // In turns: without grouping each of them would be a message.
  %u0 = stablehlo.add %t0, %t2 : tensor<f32>
  %u1 = stablehlo.add %u0, %t1 : tensor<f32>
  %u2 = stablehlo.add %u1, %t3 : tensor<f32>
  %factor = stablehlo.rsqrt %u2 : tensor<f32>
  %spread = stablehlo.broadcast_in_dim %factor, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %f0 = stablehlo.multiply %s0, %spread : tensor<8x8xf32>
  %f1 = stablehlo.multiply %s1, %spread : tensor<8x8xf32>
  %f2 = stablehlo.multiply %s2, %spread : tensor<8x8xf32>
  %f3 = stablehlo.multiply %s3, %spread : tensor<8x8xf32>
  %r0 = stablehlo.subtract %w0, %f0 : tensor<8x8xf32>
  %r1 = stablehlo.subtract %w1, %f1 : tensor<8x8xf32>
  %r2 = stablehlo.subtract %w2, %f2 : tensor<8x8xf32>
  %r3 = stablehlo.subtract %w3, %f3 : tensor<8x8xf32>
  return %sum, %r0, %r1, %r2, %r3 : tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
