// Products, transforms, solvers and random numbers that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{dimension 2 in lhs batching and contracting dims = [2] is not below the rank 2}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{dimension 2 in rhs batching and contracting dims = [2] is not below the rank 2}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [2] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{dimension 1 is twice in lhs batching and contracting dims = [1, 1]}}
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [0], contracting_dims = [1] x [1] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{contracting_dims = [0, 1] x [0] must have as many dimensions on both sides}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 1] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{batching_dims = [0] x [] must have as many dimensions on both sides}}
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [], contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{contracting_dims = [0] x [0] pairs dimension 0 of 'tensor<8x24xf32>' with dimension 0 of 'tensor<24x16xf32>', which differ in size}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{batching_dims = [0] x [1] pairs dimension 0 of 'tensor<8x24xf32>' with dimension 1 of 'tensor<24x16xf32>', which differ in size}}
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{precision has 1 entries, but there are 2 operands}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{result must have type 'tensor<8x16xf32>', but has type 'tensor<8x17xf32>'}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x17xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{expected 'precision' or 'algorithm' once, but got 'precision'}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT], precision = [DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x24xf32>, %arg1: tensor<24x16xf32>) {
  // expected-error @+1 {{field 'rhs_precision_type' is missing}}
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16> : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xcomplex<f32>>) {
  // expected-error @+1 {{length = [] must have 1 to 3 entries and at most as many as the operand 'tensor<8xcomplex<f32>>' has dimensions}}
  %0 = stablehlo.fft %arg0, type = FFT, length = [] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<8xcomplex<f32>>) {
  // expected-error @+1 {{length = [2, 8] must have 1 to 3 entries}}
  %0 = stablehlo.fft %arg0, type = FFT, length = [2, 8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{FFT needs an operand of complex values, but got 'tensor<8xf32>'}}
  %0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xcomplex<f32>>) {
  // expected-error @+1 {{RFFT needs an operand of f32 or f64 values, but got 'tensor<8xcomplex<f32>>'}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{length = [6] needs a dimension of size 6, but the operand is 'tensor<8xf32>'}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<8xcomplex<f32>>) {
  // expected-error @+1 {{length = [8] needs a dimension of size 5, but the operand is 'tensor<8xcomplex<f32>>'}}
  %0 = stablehlo.fft %arg0, type = IRFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<5xcomplex<f32>>', but has type 'tensor<8xcomplex<f32>>'}}
  %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @case(%arg0: tensor<4x5xf32>) {
  // expected-error @+1 {{needs square matrices in the last two dimensions of a, but got 'tensor<4x5xf32>'}}
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x5xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  // expected-error @+1 {{needs square matrices in the last two dimensions of a, but got 'tensor<4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x4xf32>, %arg1: tensor<4x8xf32>) {
  // expected-error @+1 {{transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT, but is TRANSPOSE_INVALID}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x4xf32>, %arg1: tensor<4x8xf32>) {
  // expected-error @+1 {{a of type 'tensor<4x4xf32>' and b of type 'tensor<4x8xf32>' do not fit with left_side = false}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x4xf32>, %arg1: tensor<4x8xf32>) {
  // expected-error @+1 {{result must have type 'tensor<4x8xf32>', but has type 'tensor<8x4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<f32>, %arg1: tensor<1xi64>) {
  // expected-error @+1 {{a must have type 'tensor<f64>', but has type 'tensor<f32>'}}
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf64>
  return
}

// -----

func.func @case(%arg0: tensor<f32>, %arg1: tensor<f64>, %arg2: tensor<1xi64>) {
  // expected-error @+1 {{b must have type 'tensor<f32>', but has type 'tensor<f64>'}}
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = NORMAL : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @case(%arg0: tensor<f32>, %arg1: tensor<2xi64>) {
  // expected-error @+1 {{shape of type 'tensor<2xi64>' must have one entry for each of the 1 dimensions of 'tensor<3xf32>'}}
  %0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3xf32>
  return
}
