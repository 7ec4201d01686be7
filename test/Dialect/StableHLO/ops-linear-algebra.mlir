// Products, convolutions, transforms, solvers and random numbers.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @dots
func.func @dots(%arg0: tensor<4x4x12x1x16xf32>, %arg1: tensor<1x4x4x16x16xf32>, %arg2: tensor<8x24xbf16>, %arg3: tensor<24x16xbf16>, %arg4: tensor<3xf32>) {
  // CHECK: %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x4x12x1x16xf32>, tensor<1x4x4x16x16xf32>) -> tensor<4x4x12x16xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<4x4x12x1x16xf32>, tensor<1x4x4x16x16xf32>) -> tensor<4x4x12x16xf32>
  // CHECK: %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<8x24xbf16>, tensor<24x16xbf16>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<8x24xbf16>, tensor<24x16xbf16>) -> tensor<8x16xf32>
  // CHECK: %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = bf16, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x24xbf16>, tensor<24x16xbf16>) -> tensor<8x16xf32>
  %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = bf16, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x24xbf16>, tensor<24x16xbf16>) -> tensor<8x16xf32>
  // CHECK: %3 = stablehlo.dot_general %arg4, %arg4, contracting_dims = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %3 = stablehlo.dot_general %arg4, %arg4, contracting_dims = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%arg0: tensor<8x32x32x16xf32>, %arg1: tensor<3x3x16x32xf32>, %arg2: tensor<2x4x10xf32>, %arg3: tensor<6x2x3xf32>) {
  // CHECK: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1{{\]\]}}, lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x32x32x32xf32>
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x32x32x32xf32>
  // CHECK: %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = {{\[\[}}0, -1{{\]\]}}, reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
  %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[0, -1]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x2x3xf32>) -> tensor<2x6x4xf32>
  // CHECK: %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[f, b, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x2x3xf32>) -> tensor<6x2x8xf32>
  %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[f, b, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x2x3xf32>) -> tensor<6x2x8xf32>
  return
}

// The gradient of a strided convolution by its kernel: batch and feature swapped.
// CHECK-LABEL: func.func @backward_convolution
func.func @backward_convolution(%arg0: tensor<8x33x33x16xf32>, %arg1: tensor<8x16x16x32xf32>) {
  // CHECK: %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = {{\[\[}}0, 0], [0, 0{{\]\]}}, lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x33x33x16xf32>, tensor<8x16x16x32xf32>) -> tensor<3x3x16x32xf32>
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x33x33x16xf32>, tensor<8x16x16x32xf32>) -> tensor<3x3x16x32xf32>
  return
}

// CHECK-LABEL: func.func @transforms
func.func @transforms(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xcomplex<f32>>) {
  // CHECK: %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  // CHECK: %1 = stablehlo.fft %0, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
  %1 = stablehlo.fft %0, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
  // CHECK: %2 = stablehlo.fft %arg1, type = FFT, length = [4, 8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %2 = stablehlo.fft %arg1, type = FFT, length = [4, 8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  // CHECK: %3 = stablehlo.fft %arg1, type = IFFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %3 = stablehlo.fft %arg1, type = IFFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @solvers
func.func @solvers(%arg0: tensor<4x4xf32>, %arg1: tensor<4x8xf32>) {
  // CHECK: %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
  // CHECK: %1 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%arg0: tensor<2xui64>, %arg1: tensor<f32>, %arg2: tensor<1xi64>) {
  // CHECK: %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // CHECK: %0 = stablehlo.rng %arg1, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  %0 = stablehlo.rng %arg1, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return
}
