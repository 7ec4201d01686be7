// Comparisons and ops of three operands that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<4xf64>) {
  // expected-error @+1 {{operand #1 must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{comparison type SIGNED does not suit the element type 'f32'; use FLOAT or TOTALORDER}}
  %0 = stablehlo.compare EQ, %arg0, %arg0, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xi32>) {
  // expected-error @+1 {{comparison type UNSIGNED does not suit the element type 'i32'; use SIGNED}}
  %0 = stablehlo.compare EQ, %arg0, %arg0, UNSIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xui32>) {
  // expected-error @+1 {{comparison type SIGNED does not suit the element type 'ui32'; use UNSIGNED}}
  %0 = stablehlo.compare EQ, %arg0, %arg0, SIGNED : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{complex values have no order, but the direction is LT}}
  %0 = stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{needs the same shape for all operands and results, but operand #0 has type 'tensor<4xf32>' and result #0 has type 'tensor<5xi1>'}}
  %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<3xf32>) {
  // expected-error @+1 {{min must have type 'tensor<4xf32>' or 'tensor<f32>', but has type 'tensor<3xf32>'}}
  %0 = stablehlo.clamp %arg1, %arg0, %arg0 : (tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<f64>) {
  // expected-error @+1 {{max must have type 'tensor<4xf32>' or 'tensor<f32>', but has type 'tensor<f64>'}}
  %0 = stablehlo.clamp %arg0, %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>', but has type 'tensor<5xf32>'}}
  %0 = stablehlo.clamp %arg0, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<3xi1>) {
  // expected-error @+1 {{pred must have type 'tensor<i1>' or 'tensor<4xi1>', but has type 'tensor<3xi1>'}}
  %0 = stablehlo.select %arg1, %arg0, %arg0 : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<i1>, %arg2: tensor<4xf64>) {
  // expected-error @+1 {{on_false must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.select %arg1, %arg0, %arg2 : (tensor<i1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>', but has type 'tensor<4xf64>'}}
  %0 = stablehlo.select %arg1, %arg0, %arg0 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>
  return
}
