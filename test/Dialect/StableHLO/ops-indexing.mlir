// Slices, gather and scatter, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @slices
func.func @slices(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) {
  // CHECK: %0 = stablehlo.slice %arg0 [0:8, 3:16] : (tensor<8x16xf32>) -> tensor<8x13xf32>
  %0 = stablehlo.slice %arg0 [0:8, 3:16] : (tensor<8x16xf32>) -> tensor<8x13xf32>
  // CHECK: %1 = stablehlo.slice %arg0 [0:8:2, 1:16:5] : (tensor<8x16xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.slice %arg0 [0:8:2, 1:16:5] : (tensor<8x16xf32>) -> tensor<4x3xf32>
  // CHECK: %2 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @dynamic_slices
func.func @dynamic_slices(%arg0: tensor<24x32xf32>, %arg1: tensor<i32>, %arg2: tensor<1x32xf32>, %arg3: tensor<f32>) {
  // CHECK: %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 32] : (tensor<24x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
  %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 32] : (tensor<24x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
  // CHECK: %1 = stablehlo.dynamic_slice %arg3, , sizes = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_slice %arg3, , sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: %2 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1, %arg1 : (tensor<24x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<24x32xf32>
  %2 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1, %arg1 : (tensor<24x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<24x32xf32>
  return
}

// CHECK-LABEL: func.func @gathers
func.func @gathers(%arg0: tensor<512x64xf32>, %arg1: tensor<4x32x1xi32>, %arg2: tensor<8x64x512xf32>, %arg3: tensor<8x64x1x1xui32>, %arg4: tensor<96xf32>, %arg5: tensor<3xi32>) {
  // CHECK: %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<512x64xf32>, tensor<4x32x1xi32>) -> tensor<4x32x64xf32>
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<512x64xf32>, tensor<4x32x1xi32>) -> tensor<4x32x64xf32>
  // CHECK: %1 = "stablehlo.gather"(%arg2, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x64x512xf32>, tensor<8x64x1x1xui32>) -> tensor<8x64x1xf32>
  %1 = "stablehlo.gather"(%arg2, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x64x512xf32>, tensor<8x64x1x1xui32>) -> tensor<8x64x1xf32>
  // CHECK: %2 = "stablehlo.gather"(%arg4, %arg5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 5>}> : (tensor<96xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  %2 = "stablehlo.gather"(%arg4, %arg5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 5>}> : (tensor<96xf32>, tensor<3xi32>) -> tensor<3x5xf32>
  return
}

// CHECK-LABEL: func.func @scatters
func.func @scatters(%arg0: tensor<512x64xf32>, %arg1: tensor<4x32x1xi32>, %arg2: tensor<4x32x64xf32>, %arg3: tensor<8x1xf32>, %arg4: tensor<1xi32>, %arg5: tensor<8xf32>) {
  // CHECK: %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
  // CHECK: ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
  ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
    // CHECK: %2 = stablehlo.add %arg6, %arg7 : tensor<f32>
    %2 = stablehlo.add %arg6, %arg7 : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  // CHECK: }) : (tensor<512x64xf32>, tensor<4x32x1xi32>, tensor<4x32x64xf32>) -> tensor<512x64xf32>
  }) : (tensor<512x64xf32>, tensor<4x32x1xi32>, tensor<4x32x64xf32>) -> tensor<512x64xf32>
  // CHECK: %1 = "stablehlo.scatter"(%arg3, %arg4, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
  %1 = "stablehlo.scatter"(%arg3, %arg4, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
  // CHECK: ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
  ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
    // CHECK: stablehlo.return %arg7 : tensor<f32>
    stablehlo.return %arg7 : tensor<f32>
  // CHECK: }) : (tensor<8x1xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<8x1xf32>
  }) : (tensor<8x1xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<8x1xf32>
  return
}

// CHECK-LABEL: func.func @batched_scatter
func.func @batched_scatter(%arg0: tensor<8x16x8xf32>, %arg1: tensor<8x16x2x1xi32>, %arg2: tensor<8x16x2xf32>) {
  // CHECK: %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = true}> ({
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = true}> ({
  // CHECK: ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    // CHECK: %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
    %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
    // CHECK: stablehlo.return %1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  // CHECK: }) : (tensor<8x16x8xf32>, tensor<8x16x2x1xi32>, tensor<8x16x2xf32>) -> tensor<8x16x8xf32>
  }) : (tensor<8x16x8xf32>, tensor<8x16x2x1xi32>, tensor<8x16x2xf32>) -> tensor<8x16x8xf32>
  return
}
