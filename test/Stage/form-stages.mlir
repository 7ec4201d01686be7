// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2 fused},partopt-verify-stages)' | FileCheck %s --check-prefix=FUSED

// A table that the first and the last stage use, a bias of the first stage, and a
// scale from the norm of both gradients. One activation goes up and one gradient comes
// back per microbatch. The table's second gradient comes once, behind the loops, and
// its new value goes back; of the norm and the scale only numbers move.

// The first rank has the table, the bias and the batch.
// CHECK-LABEL: func.func @main_rank0
// CHECK-SAME: %[[TABLE:arg0]]: tensor<8x8xf32> {partopt.argument = 0 : i64, partopt.role = "param", tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg1: tensor<8xf32> {partopt.argument = 1 : i64, partopt.role = "param", tf.aliasing_output = 1 : i32}
// CHECK-SAME: %arg2: tensor<16x8xf32> {partopt.argument = 2 : i64, partopt.role = "batch"}
// CHECK-SAME: -> (tensor<8x8xf32> {partopt.result = 1 : i64}, tensor<8xf32> {partopt.result = 2 : i64})
// CHECK: comm.loop_begin "micro" = 4() {partopt.stage = 0 : i64, partopt.stage_part = "F"}
// CHECK: stablehlo.dynamic_slice
// CHECK: %[[ACTIVATION:.+]] = stablehlo.sine
// CHECK-NEXT: comm.send {"pipe"=2} to = 1 channel = [[UP:[0-9]+]] %[[ACTIVATION]] : tensor<4x8xf32>
// CHECK: comm.loop_end
// CHECK: comm.loop_begin {{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "I"}
// CHECK-NEXT: comm.recv {"pipe"=2} from = 1 channel = [[DOWN:[0-9]+]] : tensor<4x8xf32>
// CHECK: comm.loop_end
// CHECK: comm.loop_begin {{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "W"}
// CHECK-NOT: comm.recv
// CHECK: %[[OWN:.+]]:2 = comm.loop_end
// CHECK: %[[OTHER:.+]] = comm.recv {"pipe"=2} from = 1 channel = [[GRADIENT:[0-9]+]] : tensor<8x8xf32>
// CHECK: stablehlo.add %[[OWN]]#0, %[[OTHER]] : tensor<8x8xf32>
// CHECK: %[[NEW:.+]] = stablehlo.subtract %[[TABLE]]
// CHECK-NEXT: comm.send {"pipe"=2} to = 1 channel = [[NEXT:[0-9]+]] %[[NEW]] : tensor<8x8xf32>
// CHECK: return %[[NEW]]

// The last rank has a copy of the table, and the loss.
// CHECK-LABEL: func.func @main_rank1
// CHECK-SAME: %arg0: tensor<8x8xf32> {partopt.argument = 0 : i64, partopt.role = "param", tf.aliasing_output = 1 : i32}) -> (tensor<f32> {partopt.loss, partopt.result = 0 : i64}, tensor<8x8xf32> {partopt.result = 1 : i64})
// CHECK: comm.loop_begin {{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK-NEXT: comm.recv {"pipe"=2} from = 0 channel = [[UP]] : tensor<4x8xf32>
// CHECK: %[[LOSS:.+]] = comm.loop_end
// CHECK: comm.loop_begin {{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "I"}
// CHECK: comm.send {"pipe"=2} to = 0 channel = [[DOWN]] %{{.*}} : tensor<4x8xf32>
// CHECK: comm.loop_end
// CHECK: comm.loop_begin {{.*}} {partopt.stage = 1 : i64, partopt.stage_part = "W"}
// CHECK: %[[LAST:.+]] = comm.loop_end
// CHECK: comm.send {"pipe"=2} to = 0 channel = [[GRADIENT]] %[[LAST]] : tensor<8x8xf32>
// CHECK: %[[COPY:.+]] = comm.recv {"pipe"=2} from = 0 channel = [[NEXT]] : tensor<8x8xf32>
// CHECK: return %[[LOSS]], %[[COPY]]

// Where both gradients are one part there are two segments per rank.
// FUSED-LABEL: func.func @main_rank0
// FUSED: stage_part = "F"
// FUSED: stage_part = "B"
// FUSED-NOT: stage_part
// FUSED-LABEL: func.func @main_rank1
// FUSED: stage_part = "F"
// FUSED: stage_part = "B"
// FUSED-NOT: stage_part
func.func @main(%t: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %b: tensor<8xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                %x: tensor<16x8xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %none = stablehlo.constant dense<0.0> : tensor<8xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %i, %l, %at, %ab = comm.loop_begin "micro" = 4 (%zero, %zeros, %none) : (tensor<f32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<f32>, tensor<8x8xf32>, tensor<8xf32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %k0 = stablehlo.add %h0, %bias : tensor<4x8xf32>
  %y0 = stablehlo.sine %k0 : tensor<4x8xf32>
  %h1 = stablehlo.dot_general %y0, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y1 = stablehlo.sine %h1 : tensor<4x8xf32>
  %loss = stablehlo.reduce(%y1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %d1 = stablehlo.cosine %h1 : tensor<4x8xf32>
  %g1 = stablehlo.dot_general %y0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %dy = stablehlo.dot_general %d1, %t, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %c = stablehlo.cosine %k0 : tensor<4x8xf32>
  %d0 = stablehlo.multiply %dy, %c : tensor<4x8xf32>
  %gb = stablehlo.reduce(%d0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %nb = stablehlo.add %ab, %gb : tensor<8xf32>
  %g0 = stablehlo.dot_general %rows, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %g = stablehlo.add %g0, %g1 : tensor<8x8xf32>
  %nt = stablehlo.add %at, %g : tensor<8x8xf32>
  %sum, %st, %sb = comm.loop_end (%nl, %nt, %nb) : (tensor<f32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<f32>, tensor<8x8xf32>, tensor<8xf32>)
  %q = stablehlo.multiply %st, %st : tensor<8x8xf32>
  %norm = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %scale = stablehlo.rsqrt %norm : tensor<f32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %step = stablehlo.multiply %st, %scales : tensor<8x8xf32>
  %rt = stablehlo.subtract %t, %step : tensor<8x8xf32>
  %rb = stablehlo.subtract %b, %sb : tensor<8xf32>
  return %sum, %rt, %rb : tensor<f32>, tensor<8x8xf32>, tensor<8xf32>
}
