// Slices that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{start_indices = [0] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.slice %arg0 [0:2] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{limit_indices = [2] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{strides = [] has 0 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2, 8>, start_indices = array<i64: 0, 0>, strides = array<i64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{range -1:2 of dimension 0 must be ascending and within its size 2}}
  %0 = stablehlo.slice %arg0 [-1:2, 0:8] : (tensor<2x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{range 5:4 of dimension 1 must be ascending and within its size 8}}
  %0 = stablehlo.slice %arg0 [0:2, 5:4] : (tensor<2x8xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{range 0:3 of dimension 0 must be ascending and within its size 2}}
  %0 = stablehlo.slice %arg0 [0:3, 0:8] : (tensor<2x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{stride 0 of dimension 1 must be positive}}
  %0 = stablehlo.slice %arg0 [0:2, 0:8:0] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<2x3xf32>', but has type 'tensor<2x2xf32>'}}
  %0 = stablehlo.slice %arg0 [0:2, 0:8:3] : (tensor<2x8xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{has 1 start indices, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1, 1] : (tensor<2x8xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>, %arg2: tensor<i64>) {
  // expected-error @+1 {{needs the same type for all start indices, but got 'tensor<i32>' and 'tensor<i64>'}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [1, 1] : (tensor<2x8xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{sizes = [1] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{size 9 of dimension 1 must be within its size 8}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 9] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{result must have type 'tensor<1x8xf32>', but has type 'tensor<2x8xf32>'}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 8] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<1xi32>) {
  // expected-error @+1 {{operand #1 must be variadic of statically shaped tensor of one integer value (rank 0), but got 'tensor<1xi32>'}}
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 8] : (tensor<2x8xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{has 1 start indices, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>, %arg2: tensor<3x8xf32>) {
  // expected-error @+1 {{update of type 'tensor<3x8xf32>' does not fit into the operand of type 'tensor<2x8xf32>'}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1, %arg1 : (tensor<2x8xf32>, tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>) {
  // expected-error @+1 {{result must have type 'tensor<2x8xf32>', but has type 'tensor<2x9xf32>'}}
  %0 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1, %arg1 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x9xf32>
  return
}
