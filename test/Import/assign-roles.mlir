// RUN: partopt-opt %s -split-input-file -partopt-assign-roles | FileCheck %s

// Without names: what an argument is needed for decides.
// CHECK-LABEL: func @main
func.func @main(
    // Reaches the loss.
    // CHECK-SAME: %arg0: tensor<4x4xf32> {partopt.name = "arg0", partopt.next_result = {{[0-9]+}} : i32, partopt.next_result_reason = "donated", partopt.role = "param", partopt.role_reason = "donated, the loss needs it", tf.aliasing_output = 0 : i32}
    %w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32},
    // Reaches the new parameter only.
    // CHECK-SAME: partopt.name = "arg1", partopt.next_result = {{[0-9]+}} : i32, partopt.next_result_reason = "donated", partopt.role = "opt", partopt.role_reason = "donated, only new parameters need it"
    %momentum: tensor<4x4xf32> {tf.aliasing_output = 1 : i32},
    // CHECK-SAME: partopt.name = "arg2", partopt.next_result = {{[0-9]+}} : i32, partopt.next_result_reason = "donated", partopt.role = "opt"
    %count: tensor<i32> {tf.aliasing_output = 2 : i32},
    // Follows the batch, and nothing follows it.
    // CHECK-SAME: partopt.name = "arg3", partopt.next_result = {{[0-9]+}} : i32, partopt.next_result_reason = "donated", partopt.role = "state"
    %mean: tensor<4xf32> {tf.aliasing_output = 3 : i32},
    // CHECK-SAME: partopt.name = "arg4", partopt.role = "batch", partopt.role_reason = "new in every step, 8 rows"
    %x: tensor<8x4xf32>,
    // CHECK-SAME: partopt.name = "arg5", partopt.role = "rng"
    %key: tensor<2xui32>,
    // CHECK-SAME: partopt.name = "arg6", partopt.role = "scalar"
    %rate: tensor<f32>)
    // CHECK-SAME: -> (tensor<4x4xf32> {partopt.name = "out0"}
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>,
    // CHECK-SAME: tensor<f32> {jax.result_info = "result[1]", partopt.loss, partopt.name = "result[1]"}
        tensor<f32> {jax.result_info = "result[1]"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %bits = stablehlo.xor %key, %key : tensor<2xui32>
  %noise = stablehlo.convert %bits : (tensor<2xui32>) -> tensor<2xf32>
  %noise_sum = stablehlo.reduce(%noise init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %sum = stablehlo.reduce(%y init: %noise_sum) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_momentum = stablehlo.add %momentum, %g : tensor<4x4xf32>
  %step = stablehlo.convert %count : (tensor<i32>) -> tensor<f32>
  %scale = stablehlo.multiply %step, %rate : tensor<f32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
  %update = stablehlo.multiply %scales, %new_momentum : tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %update : tensor<4x4xf32>
  %batch_mean = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %new_mean = stablehlo.add %mean, %batch_mean : tensor<4xf32>
  return %new_w, %new_momentum, %count, %new_mean, %sum : tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<f32>
}

// -----

// Several steps in one loop: values are followed one by one around it.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.role = "param"
    %w: tensor<8xf32> {tf.aliasing_output = 0 : i32},
    // CHECK-SAME: partopt.role = "opt"
    %m: tensor<8xf32> {tf.aliasing_output = 1 : i32},
    // CHECK-SAME: partopt.role = "batch"
    %x: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:4 = stablehlo.while(%i = %zero, %wi = %w, %mi = %m, %loss = %zero) : tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %i, %i : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %y = stablehlo.multiply %x, %x : tensor<8xf32>
    %next_m = stablehlo.add %mi, %y : tensor<8xf32>
    %next_w = stablehlo.multiply %wi, %y : tensor<8xf32>
    %l = stablehlo.reduce(%next_w init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %i, %next_w, %next_m, %l : tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
  %new_w = stablehlo.add %0#1, %0#2 : tensor<8xf32>
  return %new_w, %0#2, %0#3 : tensor<8xf32>, tensor<8xf32>, tensor<f32>
}

// -----

// No loss: parameters are what the matmuls need; a buffer that is written in
// place is a cache.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.role = "param"
    %w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32},
    // CHECK-SAME: partopt.role = "state"
    %cache: tensor<4x4xf32> {tf.aliasing_output = 1 : i32},
    // CHECK-SAME: partopt.role = "scalar"
    %at: tensor<i32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %cache, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dynamic_update_slice %cache, %0, %at, %at : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %w, %0 : tensor<4x4xf32>
  return %2, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Donated without a known result: the first free one of the same type.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4xf32> {jax.buffer_donor = true, {{.*}}tf.aliasing_output = 1 : i32}
// CHECK-SAME: %arg1: tensor<4xf32> {{{.*}}tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg2: tensor<5xf32> {jax.buffer_donor = true, partopt.name = "arg2", partopt.role = "unknown", partopt.role_reason = "nothing tells: give --arg-role"}
func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %c: tensor<5xf32> {jax.buffer_donor = true}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// Neither names nor donation: nothing can be told.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.role = "unknown"
// CHECK-SAME: partopt.role = "unknown"
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Of several scalars the one called loss is it.
// CHECK-LABEL: func @main
// CHECK: jax.result_info = "result['accuracy']", partopt.name
// CHECK-SAME: jax.result_info = "result['loss']", partopt.loss
func.func @main(%a: tensor<f32>) -> (tensor<f32> {jax.result_info = "result['accuracy']"}, tensor<f32> {jax.result_info = "result['loss']"}) {
  return %a, %a : tensor<f32>, tensor<f32>
}

// -----

// A weight that is not trained and has as many rows as the batch: the forward
// part sums over them, so it is no batch.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.name = "arg0", partopt.next_result = {{[0-9]+}} : i32, partopt.next_result_reason = "donated", partopt.role = "param"
    %w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32},
    // CHECK-SAME: partopt.name = "arg1", partopt.role = "unknown", partopt.role_reason = "nothing tells: give --arg-role"
    %frozen: tensor<8x4xf32>,
    // CHECK-SAME: partopt.name = "arg2", partopt.role = "batch"
    %x: tensor<8x8xf32>)
    -> (tensor<4x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.dot_general %x, %frozen, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  // The gradient sums over the rows of %h, which is no argument.
  %g = stablehlo.dot_general %h, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n = stablehlo.subtract %w, %g : tensor<4x4xf32>
  return %n, %loss : tensor<4x4xf32>, tensor<f32>
}

// -----

// Two sizes of rows, one argument each: nothing tells which is the batch's.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.role = "param"
    %w: tensor<4xf32> {tf.aliasing_output = 0 : i32},
    // CHECK-SAME: partopt.role = "unknown"
    %x: tensor<8x4xf32>,
    // CHECK-SAME: partopt.role = "unknown"
    %y: tensor<6x4xf32>)
    // CHECK-SAME: tensor<f32> {partopt.loss, partopt.name = "out2"}
    -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = stablehlo.multiply %a, %w : tensor<4xf32>
  %d = stablehlo.multiply %b, %c : tensor<4xf32>
  // The norm depends on more than the loss.
  // CHECK: return
  %loss = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %norm = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %d, %norm, %loss : tensor<4xf32>, tensor<f32>, tensor<f32>
}
