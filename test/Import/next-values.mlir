// Which result is an argument's next value, in steps without donation.
// RUN: partopt-opt %s -split-input-file -partopt-assign-roles | FileCheck %s

// No names: what goes into a result element by element, after the loss. The new
// weight holds the momentum too, but the momentum has no other result.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {partopt.name = "arg0", partopt.next_result = 1 : i32, partopt.next_result_reason = "use", partopt.role = "param", partopt.role_reason = "carried, the loss needs it"}
// CHECK-SAME: %arg1: tensor<4x4xf32> {partopt.name = "arg1", partopt.next_result = 2 : i32, partopt.next_result_reason = "use", partopt.role = "opt", partopt.role_reason = "carried, only new parameters need it"}
// CHECK-SAME: %arg2: tensor<8x4xf32> {partopt.name = "arg2", partopt.role = "batch"
// CHECK-SAME: tensor<f32> {partopt.loss
module {
func.func @main(%w: tensor<4x4xf32>, %m: tensor<4x4xf32>, %x: tensor<8x4xf32>)
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %beta = stablehlo.constant dense<0.9> : tensor<4x4xf32>
  %old = stablehlo.multiply %m, %beta : tensor<4x4xf32>
  %new_m = stablehlo.add %old, %g : tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %new_m : tensor<4x4xf32>
  return %loss, %new_w, %new_m : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
}
}

// -----

// Names: equal paths but for what stands outermost; of several results with one
// path the gradient is told by how little of the parameter a weight penalty puts
// into it.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4xf32> {partopt.name = "params['a']['w']", partopt.next_result = 0 : i32, partopt.next_result_reason = "name"
// CHECK-SAME: %arg1: tensor<4xf32> {partopt.name = "params['b']['w']", partopt.next_result = 1 : i32, partopt.next_result_reason = "name"
// CHECK-SAME: %arg2: tensor<4xf32> {partopt.name = "opt_state[0].mu['a']['w']", partopt.next_result = 2 : i32
module {
func.func @main(%a: tensor<4xf32> loc("params['a']['w']"), %b: tensor<4xf32> loc("params['b']['w']"),
                 %mu: tensor<4xf32> loc("opt_state[0].mu['a']['w']"), %x: tensor<4xf32> loc("x"))
    -> (tensor<4xf32> {jax.result_info = "result[0]['a']['w']"}, tensor<4xf32> {jax.result_info = "result[0]['b']['w']"},
        tensor<4xf32> {jax.result_info = "result[1][0].mu['a']['w']"}, tensor<4xf32> {jax.result_info = "result[2]['a']['w']"},
        tensor<f32> {jax.result_info = "result[3]"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %penalty = stablehlo.constant dense<0.001> : tensor<4xf32>
  %rate = stablehlo.constant dense<0.1> : tensor<4xf32>
  %y = stablehlo.multiply %a, %x : tensor<4xf32>
  %z = stablehlo.multiply %y, %b : tensor<4xf32>
  %loss = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.multiply %x, %b : tensor<4xf32>
  %decay = stablehlo.multiply %a, %penalty : tensor<4xf32>
  %ga = stablehlo.add %g, %decay : tensor<4xf32>
  %new_mu = stablehlo.add %mu, %ga : tensor<4xf32>
  %step = stablehlo.multiply %new_mu, %rate : tensor<4xf32>
  %new_a = stablehlo.subtract %a, %step : tensor<4xf32>
  %step_b = stablehlo.multiply %y, %rate : tensor<4xf32>
  %new_b = stablehlo.subtract %b, %step_b : tensor<4xf32>
  return %new_a, %new_b, %new_mu, %ga, %loss : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
}

// -----

// A gradient has the parameter's path and type, and is no next value.
// CHECK-LABEL: func @main
// CHECK-NOT: partopt.next_result
module {
func.func @main(%w: tensor<4x4xf32> loc("params['w']"), %x: tensor<8x4xf32> loc("batch"))
    -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]['w']"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %loss, %g : tensor<f32>, tensor<4x4xf32>
}
}

// -----

// What a model adds to a parameter of the result's type is no next value: nothing
// tells a step without a loss, and with one the loss needs it.
// CHECK-LABEL: func @main
// CHECK-NOT: partopt.next_result
module {
func.func @main(%position: tensor<8x4xf32> loc("params['position']"), %x: tensor<8x4xf32> loc("batch"))
    -> (tensor<8x4xf32> {jax.result_info = "result"}) {
  %h = stablehlo.add %position, %x : tensor<8x4xf32>
  return %h : tensor<8x4xf32>
}
}

// -----

// CHECK-LABEL: func @main
// CHECK-NOT: partopt.next_result
module {
func.func @main(%position: tensor<8x4xf32>, %x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %h = stablehlo.add %position, %x : tensor<8x4xf32>
  %loss = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %h, %loss : tensor<8x4xf32>, tensor<f32>
}
}

// -----

// Caches that are written in place, one per layer, by the path of a name and by
// what the user says they are.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {partopt.name = "params['w']", partopt.role = "param"
// CHECK-SAME: %arg1: tensor<4x4xf32> {partopt.name = "cache[0]['k']", partopt.next_result = 0 : i32, partopt.next_result_reason = "name", partopt.role = "state"
// CHECK-SAME: %arg2: tensor<4x4xf32> {partopt.name = "arg2", partopt.next_result = 1 : i32, partopt.next_result_reason = "use", partopt.role = "state"
module {
func.func @main(%w: tensor<4x4xf32> loc("params['w']"), %k: tensor<4x4xf32> loc("cache[0]['k']"),
                  %v: tensor<4x4xf32> {partopt.role = "state"}, %x: tensor<1x4xf32> loc("tokens"), %at: tensor<i32>)
    -> (tensor<4x4xf32> {jax.result_info = "result[0][0]['k']"}, tensor<4x4xf32>, tensor<1x4xf32> {jax.result_info = "result[1]"}) {
  %row = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %new_k = stablehlo.dynamic_update_slice %k, %row, %at, %at : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  %new_v = stablehlo.dynamic_update_slice %v, %row, %at, %at : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  return %new_k, %new_v, %row : tensor<4x4xf32>, tensor<4x4xf32>, tensor<1x4xf32>
}
}
