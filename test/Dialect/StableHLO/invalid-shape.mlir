// Constants and movements that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case() {
  // expected-error @+1 {{result must have type 'tensor<2xi32>', but has type 'tensor<3xi32>'}}
  %0 = "stablehlo.constant"() <{value = dense<0> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of boolean, integer, float or complex values, but got 'tensor<2xi7>'}}
  %0 = stablehlo.constant dense<0> : tensor<2xi7>
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{dim = 1 is not below the rank 1 of 'tensor<8xi32>'}}
  %0 = stablehlo.iota dim = 1 : tensor<8xi32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dims = [0] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension 2 in dims = [0, 2] is not below the rank 2}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension 1 is twice in dims = [1, 1]}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 1] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{operand dimension 0 of size 2 must be 1 or as large as result dimension 0 of size 4}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{needs the same element type for all operands and results, but operand #0 has type 'tensor<2x8xf32>' and result #0 has type 'tensor<2x8xf64>'}}
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8xf64>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{operand 'tensor<2x8xf32>' has 16 elements, but the result 'tensor<3x5xf32>' has 15}}
  %0 = stablehlo.reshape %arg0 : (tensor<2x8xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<2x8x2xi16>', but has type 'tensor<2x8xi16>'}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x8xf32>) -> tensor<2x8xi16>
  return
}

// -----

func.func @case(%arg0: tensor<2x3xi8>) {
  // expected-error @+1 {{the last dimension of the operand 'tensor<2x3xi8>' must be the ratio of the widths 32 and 8 of the element types}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{both or none of the types must be complex, but they are 'tensor<2xcomplex<f32>>' and 'tensor<2xf64>'}}
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dims = [1] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.transpose %arg0, dims = [1] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension -1 in dims = [1, -1] is not below the rank 2}}
  %0 = stablehlo.transpose %arg0, dims = [1, -1] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<8x2xf32>', but has type 'tensor<2x8xf32>'}}
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension 2 in dims = [2] is not below the rank 2}}
  %0 = stablehlo.reverse %arg0, dims = [2] : tensor<2x8xf32>
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{needs one input or more}}
  %0 = stablehlo.concatenate dim = 0 : () -> tensor<2xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{dim = 2 is not below the rank 2 of 'tensor<2x8xf32>'}}
  %0 = stablehlo.concatenate %arg0, dim = 2 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<3x8xf32>) {
  // expected-error @+1 {{input 1 of type 'tensor<3x8xf32>' must equal input 0 of type 'tensor<2x8xf32>' except in dimension 1}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{input 1 of type 'tensor<f32>' must equal input 0 of type 'tensor<2x8xf32>' except in dimension 1}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<2x16xf32>', but has type 'tensor<4x8xf32>'}}
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<1xf32>) {
  // expected-error @+1 {{padding value must have type 'tensor<f32>', but has type 'tensor<1xf32>'}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{low = [0] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{high = [0] has 1 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{interior = [] has 0 entries, but the operand 'tensor<2x8xf32>' has rank 2}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{interior = [0, -1] must not be negative}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{dimension 0 of size 2 with low -3, high 0 and interior 0 has no valid size}}
  %0 = stablehlo.pad %arg0, %arg1, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{dimension 1 of size 8 with low 0, high 0 and interior 9223372036854775807 has no valid size}}
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [0, 9223372036854775807] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{result must have type 'tensor<3x8xf32>', but has type 'tensor<2x8xf32>'}}
  %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}
