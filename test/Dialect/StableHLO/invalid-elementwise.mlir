// Elementwise ops that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of integer, float or complex values, but got 'tensor<?xf32>'}}
  %0 = stablehlo.abs %arg0 : tensor<?xf32>
  return
}

// -----

func.func @case(%arg0: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of boolean, integer, float or complex values, but got 'tensor<*xf32>'}}
  %0 = stablehlo.add %arg0, %arg0 : tensor<*xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32, 1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of boolean, integer, float or complex values, but got 'tensor<4xf32, 1 : i64>'}}
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32, 1>
  return
}

// -----

func.func @case(%arg0: tensor<4xsi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of boolean, integer, float or complex values, but got 'tensor<4xsi32>'}}
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xsi32>
  return
}

// -----

func.func @case(%arg0: tensor<4xi7>) {
  // expected-error @+1 {{but got 'tensor<4xi7>'}}
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xi7>
  return
}

// -----

func.func @case(%arg0: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{but got 'tensor<4294967296x4294967296xf32>'}}
  %0 = stablehlo.add %arg0, %arg0 : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of integer values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.popcnt %arg0 : tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of float values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.ceil %arg0 : tensor<4xi32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of boolean or integer values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.and %arg0, %arg0 : tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of integer, float or complex values, but got 'tensor<4xi1>'}}
  %0 = stablehlo.negate %arg0 : tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<5xf32>) {
  // expected-error @+1 {{needs the same type for all operands and results, but operand #0 has type 'tensor<4xf32>' and operand #1 has type 'tensor<5xf32>'}}
  %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{needs the same type for all operands and results, but operand #0 has type 'tensor<4xf32>' and result #0 has type 'tensor<4xf16>'}}
  %0 = "stablehlo.tanh"(%arg0) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{needs the same shape for all operands and results, but operand #0 has type 'tensor<4xf32>' and result #0 has type 'tensor<5xf16>'}}
  %0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<5xf16>
  return
}

// -----

func.func @case(%arg0: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>', but has type 'tensor<4xcomplex<f32>>'}}
  %0 = stablehlo.abs %arg0 : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.imag %arg0 : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of boolean values, but got 'tensor<4xi8>'}}
  %0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{format e0m7 needs 1 or more exponent bits and no negative number of mantissa bits}}
  %0 = stablehlo.reduce_precision %arg0, format = e0m7 : tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{format e8m-1 needs}}
  %0 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<4xf64>) {
  // expected-error @+1 {{operand #1 must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.complex %arg0, %arg1 : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{result must have type 'tensor<4xcomplex<f32>>', but has type 'tensor<4xcomplex<f64>>'}}
  %0 = stablehlo.complex %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}
