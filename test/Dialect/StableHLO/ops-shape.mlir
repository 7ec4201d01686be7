// Constants and movements of dimensions, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: %c = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %c_0 = stablehlo.constant dense<true> : tensor<4xi1>
  %c_0 = stablehlo.constant dense<true> : tensor<4xi1>
  // CHECK: %c_1 = stablehlo.constant dense<{{\[\[}}1, -2], [3, 4{{\]\]}}> : tensor<2x2xi8>
  %c_1 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
  // CHECK: %c_2 = stablehlo.constant dense<4294967295> : tensor<ui32>
  %c_2 = stablehlo.constant dense<4294967295> : tensor<ui32>
  // CHECK: %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %cst_3 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %cst_3 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  // CHECK: %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<8x8xbf16>
  %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<8x8xbf16>
  // CHECK: %cst_5 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
  %cst_5 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
  // CHECK: %cst_6 = stablehlo.constant {mhlo.frontend_attributes = {a = "b"}} dense<0.000000e+00> : tensor<f32>
  %cst_6 = stablehlo.constant {mhlo.frontend_attributes = {a = "b"}} dense<0.000000e+00> : tensor<f32>
  // CHECK: %c_7 = stablehlo.constant dense<> : tensor<0xi32>
  %c_7 = stablehlo.constant dense<> : tensor<0xi32>
  return
}

// CHECK-LABEL: func.func @creation
func.func @creation() {
  // CHECK: %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  // CHECK: %1 = stablehlo.iota dim = 1 : tensor<16x16xui64>
  %1 = stablehlo.iota dim = 1 : tensor<16x16xui64>
  return
}

// CHECK-LABEL: func.func @movements
func.func @movements(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // CHECK: %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x8xf32>) -> tensor<2x4x8xf32>
  %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: %2 = stablehlo.reshape %arg0 : (tensor<2x8xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.reshape %arg0 : (tensor<2x8xf32>) -> tensor<4x4xf32>
  // CHECK: %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  // CHECK: %4 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x8xf32>
  %4 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<2x8xf32>
  // CHECK: %5 = stablehlo.concatenate %arg0, %4, dim = 1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
  %5 = stablehlo.concatenate %arg0, %4, dim = 1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
  // CHECK: %6 = stablehlo.concatenate %arg0, dim = 0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %6 = stablehlo.concatenate %arg0, dim = 0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func @paddings
func.func @paddings(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) {
  // CHECK: %0 = stablehlo.pad %arg0, %arg1, low = [0, 13], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x21xf32>
  %0 = stablehlo.pad %arg0, %arg1, low = [0, 13], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x21xf32>
  // CHECK: %1 = stablehlo.pad %arg0, %arg1, low = [-1, 1], high = [0, -2], interior = [0, 1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<1x14xf32>
  %1 = stablehlo.pad %arg0, %arg1, low = [-1, 1], high = [0, -2], interior = [0, 1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<1x14xf32>
  return
}

// Between widths that differ the narrower side has one dimension more.
// CHECK-LABEL: func.func @bits
func.func @bits(%arg0: tensor<4x8xf32>, %arg1: tensor<2x2xui32>) {
  // CHECK: %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xui32>
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xui32>
  // CHECK: %1 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8x4xi8>
  %1 = stablehlo.bitcast_convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8x4xi8>
  // CHECK: %2 = stablehlo.bitcast_convert %arg1 : (tensor<2x2xui32>) -> tensor<2xui64>
  %2 = stablehlo.bitcast_convert %arg1 : (tensor<2x2xui32>) -> tensor<2xui64>
  return
}
