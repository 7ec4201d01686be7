// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-assign-roles

// Aliases that cannot be.

// expected-error@+1 {{argument 0 ('w') aliases result 2, but there are 1 results}}
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 2 : i32} loc("w")) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument 0 ('arg0') aliases result "x", which is no result's number}}
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = "x"}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument 0 ('arg0') of type 'tensor<4xf32>' aliases result 0 of type 'tensor<8xf32>'}}
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{argument 0 ('arg0') and argument 1 ('arg1') have one next value, result 0}}
func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{the module has no function @main with a body}}
module {
}

// -----

// expected-error@+1 {{argument 0 has the type 'tensor<?xf32>', but only tensors of static shape are supported}}
func.func @main(%arg0: tensor<?xf32>) {
  return
}
