// The loss is the scalar that the gradients are derived from, whatever scalars
// stand beside it and whatever is smaller.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-assign-roles | FileCheck %s

// The size of what the first layer gives is smaller, but no update has the
// derivative of its root, and it knows one parameter alone.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out3"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %h2 = stablehlo.multiply %h, %h : tensor<8x4xf32>
  %ms = stablehlo.reduce(%h2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %rms = stablehlo.sqrt %ms : tensor<f32>
  return %new_w, %new_v, %rms, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// What no parameter goes into.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out3"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %x2 = stablehlo.multiply %x, %x : tensor<8x4xf32>
  %size = stablehlo.reduce(%x2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %new_w, %new_v, %size, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// The mean of the last layer knows every parameter and has no derivative that
// would tell: the loss has more in common with the update.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out3"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %mean = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %new_w, %new_v, %mean, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// A norm of one gradient, one of the new parameters, and what the loss grows to.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out5"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %g2 = stablehlo.multiply %gv, %gv : tensor<4x4xf32>
  %norm = stablehlo.reduce(%g2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %n2 = stablehlo.multiply %new_w, %new_w : tensor<4x4xf32>
  %size = stablehlo.reduce(%n2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %growth = stablehlo.exponential %loss : tensor<f32>
  return %new_w, %new_v, %norm, %size, %growth, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
}

// -----

// A count of hits has no derivative.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out3"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %hits = stablehlo.compare GT, %y, %zeros, FLOAT : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
  %ones = stablehlo.convert %hits : (tensor<8x4xi1>) -> tensor<8x4xf32>
  %accuracy = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %new_w, %new_v, %accuracy, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// Of several that are called loss it is the one derived from.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "result[1]['loss']"
module {
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32> {jax.result_info = "result[1]['aux_loss']"}, tensor<f32> {jax.result_info = "result[1]['loss']"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %mean = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %new_w, %new_v, %mean, %loss : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// The loss and its half are derived from alike: the first is taken, and said.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg2: tensor<8x4xf32> {{[{][^%]*}}partopt.role = "batch"
// CHECK-SAME: partopt.loss, partopt.name = "out2"
module {
// expected-warning@+1 {{the loss is taken to be result 2 ('out2'), but the gradients may as well be derived from result 3 ('out3'); say which with --loss RESULT}}
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32}, %v: tensor<4x4xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %h = stablehlo.tanh %xw : tensor<8x4xf32>
  %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gv = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gh = stablehlo.dot_general %e, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %hh = stablehlo.multiply %h, %gh : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %hh, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %new_v = stablehlo.subtract %v, %gv : tensor<4x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %half = stablehlo.divide %loss, %two : tensor<f32>
  return %new_w, %new_v, %loss, %half : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>
}
}
