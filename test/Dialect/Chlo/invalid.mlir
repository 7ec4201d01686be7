// Special functions and top_k that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of float values, but got 'tensor<8xi32>'}}
  %0 = chlo.erf %arg0 : tensor<8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{needs the same type for all operands and results, but operand #0 has type 'tensor<8xf32>' and result #0 has type 'tensor<9xf32>'}}
  %0 = chlo.square %arg0 : tensor<8xf32> -> tensor<9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{needs the same shape for all operands and results, but operand #0 has type 'tensor<8xf32>' and result #0 has type 'tensor<9xi1>'}}
  %0 = chlo.is_inf %arg0 : tensor<8xf32> -> tensor<9xi1>
  return
}

// -----

func.func @case(%arg0: tensor<f32>) {
  // expected-error @+1 {{needs an operand of rank 1 or more, but got 'tensor<f32>'}}
  %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{k = 9 is not within the last dimension's size 8 of 'tensor<8xf32>'}}
  %values, %indices = chlo.top_k(%arg0, k = 9) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{values must have type 'tensor<2xf32>', but have 'tensor<3xf32>'}}
  %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{indices must have type 'tensor<2xi32>', but have 'tensor<2xi64>'}}
  %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{custom op 'chlo.frobnicate' is unknown}}
  %0 = chlo.frobnicate %arg0 : tensor<8xf32>
  return
}
