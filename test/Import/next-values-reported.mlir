// What a step reports of a batch is not the next batch, though it has its type
// and is computed from it element by element.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-assign-roles | FileCheck %s
// RUN: partopt-opt %s -split-input-file '-partopt-assign-roles=carries=x=out2' 2>&1 | FileCheck %s --check-prefix=CARRY

// Parameters are donated and the batch is not: even what looks trained is said
// and left.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
// CHECK-SAME: %arg1: tensor<8x4xf32> {partopt.name = "x", partopt.role = "batch"
// CARRY: %arg1: tensor<8x4xf32> {partopt.name = "x", partopt.next_result = 2 : i32, partopt.next_result_reason = "--carry"
module {
// expected-warning@+1 {{argument 1 ('x') is taken to be given anew in every step, though result 2, of its type, is computed from it and goes nowhere; if it goes around say so with --carry 'ARG=RESULT', else with ARG=none}}
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32} loc("w"), %x: tensor<8x4xf32> loc("x"))
    -> (tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gw = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %gx = stablehlo.dot_general %e, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %attack = stablehlo.add %x, %gx : tensor<8x4xf32>
  return %new_w, %loss, %attack : tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>
}
}

// -----

// Nothing is donated: the batch twice is computed from nothing but the batch.
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.next_result = 0 : i32, partopt.next_result_reason = "use", partopt.role = "param"
// CHECK-SAME: %arg1: tensor<8x4xf32> {partopt.name = "x", partopt.role = "batch"
module {
// expected-warning@+2 {{: argument 0 ('w') as result 0; if that is wrong}}
// expected-warning@+1 {{argument 1 ('x') is taken to be given anew in every step, though result 2}}
func.func @main(%w: tensor<4x4xf32> loc("w"), %x: tensor<8x4xf32> loc("x"))
    -> (tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %e = stablehlo.exponential %y : tensor<8x4xf32>
  %loss = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gw = stablehlo.dot_general %x, %e, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %twice = stablehlo.add %x, %x : tensor<8x4xf32>
  return %new_w, %loss, %twice : tensor<4x4xf32>, tensor<f32>, tensor<8x4xf32>
}
}
