// Collectives as they stand in a manual computation.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @reductions
func.func @reductions(%arg0: tensor<8x16xf32>) {
  // CHECK: %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1, 2, 3], [4, 5, 6, 7{{\]\]}}> : tensor<2x4xi64>, use_global_device_ids}> ({
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
  // CHECK: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    // CHECK: %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  // CHECK: }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: %1 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[\[}}0, 1, 2, 3{{\]\]}}> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  %1 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  // CHECK: ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    // CHECK: %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  // CHECK: }) : (tensor<8x16xf32>) -> tensor<2x16xf32>
  }) : (tensor<8x16xf32>) -> tensor<2x16xf32>
  return
}

// CHECK-LABEL: func.func @movements
func.func @movements(%arg0: tensor<8x16xf32>, %arg1: tensor<2x8x4x8xf32>) {
  // CHECK: %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1, 2, 3], [4, 5, 6, 7{{\]\]}}> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<8x64xf32>
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<8x64xf32>
  // CHECK: %1 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<{{\[\[}}0, 1, 2, 3{{\]\]}}> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 2 : i64}> : (tensor<2x8x4x8xf32>) -> tensor<2x32x1x8xf32>
  %1 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 2 : i64}> : (tensor<2x8x4x8xf32>) -> tensor<2x32x1x8xf32>
  // CHECK: %2 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<{{\[\[}}0, 1], [1, 2], [2, 3], [3, 0{{\]\]}}> : tensor<4x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // CHECK: %3 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<{{\[\[}}0, 1{{\]\]}}> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// CHECK-LABEL: func.func @ids
func.func @ids() {
  // CHECK: %0 = stablehlo.partition_id : tensor<ui32>
  %0 = stablehlo.partition_id : tensor<ui32>
  // CHECK: %1 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return
}
