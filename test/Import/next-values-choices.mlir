// Next values where something leaves a choice, and what a user says.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-assign-roles | FileCheck %s

// A whole state under one name: its counter and its key go around with it.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<2xui32> {partopt.name = "state.key", partopt.next_result = 0 : i32, partopt.next_result_reason = "name", partopt.role = "rng"
// CHECK-SAME: %arg1: tensor<4xf32> {partopt.name = "state.params['w']", partopt.next_result = 1 : i32, partopt.next_result_reason = "name", partopt.role = "param"
// CHECK-SAME: %arg2: tensor<i32> {partopt.name = "state.step", partopt.next_result = 2 : i32, partopt.next_result_reason = "name", partopt.role = "opt"
module {
func.func @main(%key: tensor<2xui32> loc("state.key"), %w: tensor<4xf32> loc("state.params['w']"), %step: tensor<i32> loc("state.step"))
    -> (tensor<2xui32> {jax.result_info = "result[0].key"}, tensor<4xf32> {jax.result_info = "result[0].params['w']"},
        tensor<i32> {jax.result_info = "result[0].step"}, tensor<f32> {jax.result_info = "result[1]"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %new_key = stablehlo.xor %key, %key : tensor<2xui32>
  %new_step = stablehlo.add %step, %one : tensor<i32>
  %y = stablehlo.multiply %w, %w : tensor<4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %rate = stablehlo.convert %step : (tensor<i32>) -> tensor<f32>
  %rates = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %move = stablehlo.multiply %rates, %w : tensor<4xf32>
  %new_w = stablehlo.subtract %w, %move : tensor<4xf32>
  return %new_key, %new_w, %new_step, %loss : tensor<2xui32>, tensor<4xf32>, tensor<i32>, tensor<f32>
}
}

// -----

// One vector of all parameters: each goes into each result, and their order
// decides.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4xf32> {partopt.name = "arg0", partopt.next_result = 0 : i32, partopt.next_result_reason = "order"
// CHECK-SAME: %arg1: tensor<4xf32> {partopt.name = "arg1", partopt.next_result = 1 : i32, partopt.next_result_reason = "order"
module {
func.func @main(%a: tensor<4xf32> {partopt.role = "param"}, %b: tensor<4xf32> {partopt.role = "param"})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<8xf32>
  %y = stablehlo.multiply %a, %b : tensor<4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %g = stablehlo.concatenate %b, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %move = stablehlo.multiply %g, %rate : tensor<8xf32>
  %new = stablehlo.subtract %all, %move : tensor<8xf32>
  %new_a = stablehlo.slice %new [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %new_b = stablehlo.slice %new [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  return %new_a, %new_b, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
}

// -----

// A history: the current value becomes the previous one. By what results are
// computed from the two would change places.
// CHECK-LABEL: func @main
// CHECK-NOT: partopt.next_result
module {
// expected-warning@+1 {{the next value of argument 0 ('arg0') may be result 1; so with 1 other argument; say which with --carry 'ARG=RESULT' (or ARG=none), or export with donated arguments}}
func.func @main(%before: tensor<4xf32> {partopt.role = "state"}, %now: tensor<4xf32> {partopt.role = "state"})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %twice = stablehlo.multiply %now, %two : tensor<4xf32>
  %next = stablehlo.subtract %twice, %before : tensor<4xf32>
  return %now, %next : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// Two results that are the parameter moved.
// CHECK-LABEL: func @main
// CHECK-NOT: partopt.next_result
module {
// expected-warning@+1 {{the next value of argument 0 ('params['w']') may be result 0 or result 1; say which}}
func.func @main(%w: tensor<4xf32> loc("params['w']")) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %w, %w : tensor<4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.cosine %y : tensor<4xf32>
  %down = stablehlo.subtract %w, %g : tensor<4xf32>
  %up = stablehlo.add %w, %g : tensor<4xf32>
  return %down, %up, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
}

// -----

// An attribute decides, also that there is none.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.next_result = -1 : i32, partopt.next_result_reason = "partopt.next_result"
// CHECK-SAME: partopt.next_result = 0 : i32, partopt.next_result_reason = "partopt.next_result"
module {
func.func @main(%a: tensor<4xf32> {partopt.role = "state", partopt.next_result = -1 : i32},
                 %b: tensor<4xf32> {partopt.role = "state", partopt.next_result = 0 : i32}) -> tensor<4xf32> {
  %new = stablehlo.add %a, %b : tensor<4xf32>
  return %new : tensor<4xf32>
}
}
