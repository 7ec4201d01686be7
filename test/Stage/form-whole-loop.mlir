// RUN: partopt-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(partopt-form-whole-loop))' | FileCheck %s

// A table that both layers use, a bias, a norm of the gradients, and the loss. The
// forward part and the gradients are the loop; reductions over devices, the norm and the
// updates are behind it. Both gradients of the table are accumulated of their own. What
// no batch argument has a part in is in front where the loop reads it, else behind.
// CHECK-LABEL: func.func @train
// CHECK-SAME: %[[T:arg0]]: tensor<8x8xf32>
// CHECK: %[[WIDE:.+]] = stablehlo.broadcast_in_dim %arg1
// CHECK-NOT: stablehlo.add %arg2
// CHECK: %{{.+}}, %[[C:.+]]:4 = comm.loop_begin "micro" = 1(
// CHECK: stablehlo.dot_general %arg3, %[[T]]
// CHECK: stablehlo.add %{{.*}}, %[[WIDE]]
// CHECK: %[[LOSS:.+]] = stablehlo.reduce
// CHECK-NOT: comm.all_reduce
// CHECK: %[[G1:.+]] = stablehlo.dot_general %{{.*}}, contracting_dims = [0] x [0]
// CHECK: %[[GB:.+]] = stablehlo.reduce
// CHECK: %[[G0:.+]] = stablehlo.dot_general %arg3
// CHECK-DAG: %[[NL:.+]] = stablehlo.add %[[C]]#{{.}}, %[[LOSS]] : tensor<f32>
// CHECK-DAG: %[[N1:.+]] = stablehlo.add %[[C]]#{{.}}, %[[G1]]
// CHECK-DAG: %[[NB:.+]] = stablehlo.add %[[C]]#{{.}}, %[[GB]]
// CHECK-DAG: %[[N0:.+]] = stablehlo.add %[[C]]#{{.}}, %[[G0]]
// CHECK: %[[R:.+]]:4 = comm.loop_end(%[[NL]], %[[N1]], %[[NB]], %[[N0]])
// CHECK: stablehlo.add %arg2
// CHECK: comm.all_reduce {{.*}}%[[R]]#0
// CHECK: stablehlo.add %[[R]]#3, %[[R]]#1
// CHECK: comm.all_reduce
// CHECK: comm.all_reduce
// CHECK: stablehlo.reduce
// CHECK: stablehlo.rsqrt
// CHECK: return
module attributes {partopt.time_axes = {micro = 1 : i64}} {
  sdy.mesh @mesh = <["data"=2, "micro"=1]>
  func.func @train(%t: tensor<8x8xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                   %b: tensor<8xf32> {partopt.role = "param", tf.aliasing_output = 2 : i32},
                   %count: tensor<f32> {partopt.role = "opt", tf.aliasing_output = 3 : i32},
                   %x: tensor<4x8xf32> {partopt.role = "batch"})
      -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>, tensor<8xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %next = stablehlo.add %count, %one : tensor<f32>
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %h0 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %k0 = stablehlo.add %h0, %bias : tensor<4x8xf32>
    %y0 = stablehlo.sine %k0 : tensor<4x8xf32>
    %h1 = stablehlo.dot_general %y0, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %y1 = stablehlo.sine %h1 : tensor<4x8xf32>
    %part = stablehlo.reduce(%y1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %loss = comm.all_reduce {"data"=2} sum %part : (tensor<f32>) -> tensor<f32>
    %d1 = stablehlo.cosine %h1 : tensor<4x8xf32>
    %g1 = stablehlo.dot_general %y0, %d1, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %dy = stablehlo.dot_general %d1, %t, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %c = stablehlo.cosine %k0 : tensor<4x8xf32>
    %d0 = stablehlo.multiply %dy, %c : tensor<4x8xf32>
    %gb = stablehlo.reduce(%d0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %g0 = stablehlo.dot_general %x, %d0, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %g = stablehlo.add %g0, %g1 : tensor<8x8xf32>
    %st = comm.all_reduce {"data"=2} sum %g : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %row = stablehlo.reshape %gb : (tensor<8xf32>) -> tensor<1x8xf32>
    %flat = stablehlo.reduce(%row init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %sb = comm.all_reduce {"data"=2} sum %flat : (tensor<8xf32>) -> tensor<8xf32>
    %q = stablehlo.multiply %st, %st : tensor<8x8xf32>
    %norm = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %scale = stablehlo.rsqrt %norm : tensor<f32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %step = stablehlo.multiply %st, %scales : tensor<8x8xf32>
    %rt = stablehlo.subtract %t, %step : tensor<8x8xf32>
    %rb = stablehlo.subtract %b, %sb : tensor<8xf32>
    return %loss, %rt, %rb, %next : tensor<f32>, tensor<8x8xf32>, tensor<8xf32>, tensor<f32>
  }
}

// -----

// Forward only: rows are carried out as they are, and what no parameter has a part in is
// added to zeros, which has a place in the chain.
// CHECK-LABEL: func.func @infer
// CHECK: %{{.+}}, %[[C:.+]]:2 = comm.loop_begin "micro" = 1(
// CHECK-DAG: %[[Y:.+]] = stablehlo.sine
// CHECK-DAG: %[[TWICE:.+]] = stablehlo.add %arg1, %arg1
// CHECK: %[[NEXT:.+]] = stablehlo.add %[[C]]#{{.}}, %[[TWICE]]
// CHECK: %[[R:.+]]:2 = comm.loop_end(%[[Y]], %[[NEXT]])
// CHECK: return %[[R]]#0, %[[R]]#1
module attributes {partopt.time_axes = {micro = 1 : i64}} {
  sdy.mesh @mesh = <["micro"=1]>
  func.func @infer(%w: tensor<8x8xf32> {partopt.role = "param"},
                   %x: tensor<4x8xf32> {partopt.role = "batch"})
      -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %y = stablehlo.sine %h : tensor<4x8xf32>
    %twice = stablehlo.add %x, %x : tensor<4x8xf32>
    return %y, %twice : tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

// Loops over several microbatches are partopt-form-time-loops'.
// CHECK-LABEL: func.func @several
// CHECK-NOT: comm.loop_begin
module attributes {partopt.time_axes = {micro = 4 : i64}} {
  sdy.mesh @mesh = <["micro"=4]>
  func.func @several(%x: tensor<4x8xf32> {partopt.role = "batch"}) -> tensor<4x8xf32> {
    %y = stablehlo.sine %x : tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}
