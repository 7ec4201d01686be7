// A movement that changes nothing is its operand, a movement of a splat is a
// splat, and two movements of one kind are one.
// RUN: partopt-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
func.func @identities(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.reshape %arg0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = stablehlo.transpose %arg0, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = stablehlo.reverse %arg0, dims = [] : tensor<2x8xf32>
  %4 = stablehlo.concatenate %arg0, dim = 0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %5 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %6 = stablehlo.slice %arg0 [0:2, 0:8] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [2, 8] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %8 = stablehlo.dynamic_update_slice %5, %arg0, %arg2, %arg2 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  // CHECK: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func.func @not_identities
func.func @not_identities(%arg0: tensor<4x4xf32>, %arg1: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: stablehlo.broadcast_in_dim
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.transpose
  %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.reverse
  %2 = stablehlo.reverse %arg0, dims = [1] : tensor<4x4xf32>
  // CHECK: stablehlo.pad
  %3 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @splats
func.func @splats(%arg0: tensor<i32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<4x8xf32>, tensor<1x4xf32>, tensor<1x1xf32>) {
  %scalar = stablehlo.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: %[[WIDE:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<2x8xf32>
  %0 = stablehlo.broadcast_in_dim %scalar, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<2x8xf32>
  // CHECK-DAG: %[[TURNED:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<8x2xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x2xf32>) -> tensor<2x8xf32>
  // CHECK-DAG: %[[JOINED:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<4x8xf32>
  %4 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  // CHECK-DAG: %[[PART:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<1x4xf32>
  %5 = stablehlo.slice %0 [0:1, 0:8:2] : (tensor<2x8xf32>) -> tensor<1x4xf32>
  // CHECK-DAG: %[[ONE:.+]] = stablehlo.constant dense<3.000000e+00> : tensor<1x1xf32>
  %6 = stablehlo.dynamic_slice %0, %arg0, %arg0, sizes = [1, 1] : (tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  // CHECK: return %[[WIDE]], %[[WIDE]], %[[TURNED]], %[[WIDE]], %[[JOINED]], %[[PART]], %[[ONE]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<8x2xf32>, tensor<2x8xf32>, tensor<4x8xf32>, tensor<1x4xf32>, tensor<1x1xf32>
}

// Splats of two values are no splat together.
// CHECK-LABEL: func.func @two_splats
func.func @two_splats() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
  %1 = stablehlo.constant dense<-0.0> : tensor<2xf32>
  // CHECK: stablehlo.concatenate
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A constant of several values keeps its data through a reshape.
// CHECK-LABEL: func.func @reshaped_constant
func.func @reshaped_constant() -> tensor<2x2xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: stablehlo.constant dense<{{\[\[}}1, 2], [3, 4{{\]\]}}> : tensor<2x2xi32>
  %1 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}

// CHECK-LABEL: func.func @chains
func.func @chains(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4xf32>) -> (tensor<24xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  // CHECK: %[[FLAT:.+]] = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %0 = stablehlo.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
  // CHECK: %[[TURNED:.+]] = stablehlo.transpose %arg0, dims = [1, 2, 0]
  %2 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[SPREAD:.+]] = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 2] : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: return %[[FLAT]], %[[TURNED]], %arg0, %[[SPREAD]]
  return %1, %3, %4, %6 : tensor<24xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// The inner reshape carries a hint, so it stays, and the outer with it.
// CHECK-LABEL: func.func @annotated
func.func @annotated(%arg0: tensor<2x3x4xf32>) -> tensor<24xf32> {
  // CHECK: stablehlo.reshape %arg0 {mhlo.note = "kept"}
  %0 = stablehlo.reshape %arg0 {mhlo.note = "kept"} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK: stablehlo.reshape
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}
