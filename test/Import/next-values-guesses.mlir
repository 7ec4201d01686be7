// Without donation and without telling names a metric looks like a next value,
// and a next value like a metric: whatever is taken of the two is said.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-assign-roles | FileCheck %s
// RUN: partopt-opt %s -split-input-file '-partopt-assign-roles=roles=^a$=param' 2>&1 | FileCheck %s --check-prefix=CONFIRMED

// The rate that is logged is not the next rate.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.next_result = 0 : i32, partopt.next_result_reason = "use"
// CHECK-SAME: partopt.name = "rate", partopt.next_result = 2
// CONFIRMED: warning: taken to go around, as what results are computed from suggests: argument 1 ('rate') as result 2;
module {
// expected-warning@+1 {{taken to go around, as what results are computed from suggests: argument 0 ('a') as result 0, argument 1 ('rate') as result 2; if that is wrong say so with --carry 'ARG=RESULT' or ARG=none; --arg-role 'ARG=param', opt or state, or an export with donated arguments, confirms it}}
func.func @main(%a: tensor<4xf32> loc("a"), %rate: tensor<f32> loc("rate"), %row: tensor<1x4xf32> loc("x"))
    -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %decay = stablehlo.constant dense<0.9> : tensor<f32>
  %x = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
  %y = stablehlo.multiply %a, %x : tensor<4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %now = stablehlo.multiply %rate, %decay : tensor<f32>
  %rates = stablehlo.broadcast_in_dim %now, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %move = stablehlo.multiply %rates, %x : tensor<4xf32>
  %new_a = stablehlo.subtract %a, %move : tensor<4xf32>
  return %new_a, %loss, %now : tensor<4xf32>, tensor<f32>, tensor<f32>
}
}

// -----

// A batch that comes back disturbed.
// CHECK-LABEL: func @main
module {
// expected-warning@+1 {{: arguments 0 to 1 ('a' ...) as results 0 to 1, argument 2 ('x') as result 3; if that is wrong}}
func.func @main(%a: tensor<4xf32> loc("a"), %b: tensor<2x4xf32> loc("b"), %x: tensor<2x4xf32> loc("x"))
    -> (tensor<4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<4xf32>
  %rates = stablehlo.constant dense<0.1> : tensor<2x4xf32>
  %as = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %xb = stablehlo.multiply %b, %x : tensor<2x4xf32>
  %y = stablehlo.multiply %as, %xb : tensor<2x4xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
  %ga = stablehlo.reduce(%xb init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  %move_a = stablehlo.multiply %ga, %rate : tensor<4xf32>
  %new_a = stablehlo.subtract %a, %move_a : tensor<4xf32>
  %gb = stablehlo.multiply %as, %x : tensor<2x4xf32>
  %move_b = stablehlo.multiply %gb, %rates : tensor<2x4xf32>
  %new_b = stablehlo.subtract %b, %move_b : tensor<2x4xf32>
  %gx = stablehlo.multiply %as, %b : tensor<2x4xf32>
  %up = stablehlo.sign %gx : tensor<2x4xf32>
  %move_x = stablehlo.multiply %up, %rates : tensor<2x4xf32>
  %new_x = stablehlo.add %x, %move_x : tensor<2x4xf32>
  return %new_a, %new_b, %loss, %new_x : tensor<4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<2x4xf32>
}
}

// -----

// A hidden state that goes around through a function: no evidence, but said.
// CHECK-LABEL: func @main
// CHECK-SAME: partopt.next_result_reason = "use"
// CHECK-NOT: partopt.next_result
module {
// expected-warning@+2 {{: argument 0 ('a') as result 0; if that is wrong}}
// expected-warning@+1 {{argument 1 ('h') is taken to be given anew in every step, though result 1, of its type, is computed from it and goes nowhere; if it goes around say so with --carry 'ARG=RESULT', else with ARG=none}}
func.func @main(%a: tensor<4xf32> loc("a"), %h: tensor<3x4xf32> loc("h"), %x: tensor<4xf32> loc("x"))
    -> (tensor<4xf32>, tensor<3x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.constant dense<0.1> : tensor<4xf32>
  %as = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %ah = stablehlo.multiply %as, %h : tensor<3x4xf32>
  %xs = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %sum = stablehlo.add %ah, %xs : tensor<3x4xf32>
  %new_h = stablehlo.tanh %sum : tensor<3x4xf32>
  %loss = stablehlo.reduce(%new_h init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  %ga = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %move = stablehlo.multiply %ga, %rate : tensor<4xf32>
  %new_a = stablehlo.subtract %a, %move : tensor<4xf32>
  return %new_a, %new_h, %loss : tensor<4xf32>, tensor<3x4xf32>, tensor<f32>
}
}
