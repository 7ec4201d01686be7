// RUN: partopt-opt %s --partopt-form-kernels | FileCheck %s

// Two readers of an argument that must not become one kernel: a slice of it, of
// which a gradient is made, and its update, which waits for that gradient's
// collective through a kernel that is one with another parameter's update.
// CHECK-LABEL: func.func @main
// CHECK: call @[[SLICE:.+]](%arg0,
// CHECK: dot_general
// CHECK: comm.all_reduce
// CHECK: call @[[UPDATE:.+]](
// CHECK: func.func private @[[SLICE]](
// CHECK-NOT: stablehlo.subtract
// CHECK: return

sdy.mesh @mesh = <["context"=3]>
func.func @main(%in0: tensor<4x8x8xf32>, %in1: tensor<20xf32>, %in2: tensor<4x8x8xf32>, %in3: tensor<4x4x3x8xf32>, %in4: tensor<f32>, %in5: tensor<4x3x4x4xf32>, %in6: tensor<f32>, %in7: tensor<i32>, %in8: tensor<i32>, %in9: tensor<4x4x3x8xi1>, %in10: tensor<f32>, %in11: tensor<33x20xf32>, %in12: tensor<20xf32>, %in13: tensor<20xf32>, %in14: tensor<4x8x4x4xf32>, %in15: tensor<4x4x3x8xf32>, %in16: tensor<4x4x3x8xf32>, %in17: tensor<4x4x3x8xf32>, %in18: tensor<4x3x20xf32>, %in19: tensor<4x3x4x4xi1>, %in20: tensor<4x4x20xf32>, %in21: tensor<4x4x20xf32>, %in22: tensor<33x20xf32>, %in23: tensor<f32>) -> (tensor<4x8x8xf32>, tensor<20xf32>) {
  %v0 = stablehlo.pad %in0, %in6, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<4x8x8xf32>, tensor<f32>) -> tensor<4x9x8xf32>
  %v1 = stablehlo.dynamic_slice %v0, %in7, %in8, %in7, sizes = [4, 3, 8] : (tensor<4x9x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x3x8xf32>
  %v2 = stablehlo.optimization_barrier %v1 : tensor<4x3x8xf32>
  %v3 = stablehlo.broadcast_in_dim %v2, dims = [1, 2, 3] : (tensor<4x3x8xf32>) -> tensor<4x4x3x8xf32>
  %v4 = stablehlo.add %in15, %v3 : tensor<4x4x3x8xf32>
  %v5 = stablehlo.select %in9, %v4, %in3 : tensor<4x4x3x8xi1>, tensor<4x4x3x8xf32>
  %v6 = stablehlo.subtract %v5, %in16 : tensor<4x4x3x8xf32>
  %v7 = stablehlo.exponential %v6 : tensor<4x4x3x8xf32>
  %v8 = stablehlo.divide %v7, %in17 : tensor<4x4x3x8xf32>
  %v9 = stablehlo.dot_general %in14, %v8, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<4x8x4x4xf32>, tensor<4x4x3x8xf32>) -> tensor<4x4x4x3xf32>
  %v10 = stablehlo.transpose %v9, dims = [0, 3, 1, 2] : (tensor<4x4x4x3xf32>) -> tensor<4x3x4x4xf32>
  %v11 = stablehlo.select %in19, %v10, %in5 : tensor<4x3x4x4xi1>, tensor<4x3x4x4xf32>
  %v12 = stablehlo.dot_general %in18, %v11, contracting_dims = [0, 1] x [0, 1] : (tensor<4x3x20xf32>, tensor<4x3x4x4xf32>) -> tensor<20x4x4xf32>
  %v13 = stablehlo.multiply %in23, %in4 : tensor<f32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [] : (tensor<f32>) -> tensor<4x8x8xf32>
  %v15 = stablehlo.multiply %v14, %in2 : tensor<4x8x8xf32>
  %v16 = stablehlo.subtract %in0, %v15 : tensor<4x8x8xf32>
  %v17 = stablehlo.broadcast_in_dim %v13, dims = [] : (tensor<f32>) -> tensor<20xf32>
  %v18:8 = comm.all_reduce {"context"=3} sum %in10, %in11, %in12, %in13, %v12, %in20, %in21, %in22 : (tensor<f32>, tensor<33x20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20x4x4xf32>, tensor<4x4x20xf32>, tensor<4x4x20xf32>, tensor<33x20xf32>) -> (tensor<f32>, tensor<33x20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20x4x4xf32>, tensor<4x4x20xf32>, tensor<4x4x20xf32>, tensor<33x20xf32>)
  %v19 = stablehlo.reshape %v18#3 : (tensor<20xf32>) -> tensor<1x1x20xf32>
  %v20 = stablehlo.reduce(%v19 init: %in6) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x20xf32>, tensor<f32>) -> tensor<20xf32>
  %v21 = stablehlo.multiply %v17, %v20 : tensor<20xf32>
  %v22 = stablehlo.subtract %in1, %v21 : tensor<20xf32>
  return %v16, %v22 : tensor<4x8x8xf32>, tensor<20xf32>
}
