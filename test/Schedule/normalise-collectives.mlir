// Blocks of collectives are brought to the front and back.
// RUN: partopt-opt %s -partopt-normalise-collectives | FileCheck %s

// CHECK-LABEL: @gather_of_the_last_dimension
func.func @gather_of_the_last_dimension(%a: tensor<3x4xf32>) -> tensor<3x8xf32> {
  // CHECK: %[[FRONT:.+]] = stablehlo.transpose %arg0, dims = [1, 0]
  // CHECK: %[[FULL:.+]] = comm.all_gather {"data"=2} dim = 0 %[[FRONT]] {partopt.why = "w"} : (tensor<4x3xf32>) -> tensor<8x3xf32>
  // CHECK: %[[BACK:.+]] = stablehlo.transpose %[[FULL]], dims = [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
  // CHECK: return %[[BACK]]
  %0 = comm.all_gather {"data"=2} dim = 1 %a {partopt.why = "w"} : (tensor<3x4xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// Dimensions of extent 1 before it make the move a view.
// CHECK-LABEL: @gather_behind_ones
func.func @gather_behind_ones(%a: tensor<1x4x2xf32>) -> tensor<1x8x2xf32> {
  // CHECK: %[[FRONT:.+]] = stablehlo.reshape %arg0 : (tensor<1x4x2xf32>) -> tensor<4x1x2xf32>
  // CHECK: comm.all_gather {"data"=2} dim = 0 %[[FRONT]] : (tensor<4x1x2xf32>) -> tensor<8x1x2xf32>
  // CHECK: stablehlo.reshape
  // CHECK-NOT: transpose
  %0 = comm.all_gather {"data"=2} dim = 1 %a : (tensor<1x4x2xf32>) -> tensor<1x8x2xf32>
  return %0 : tensor<1x8x2xf32>
}

// CHECK-LABEL: @scatter_of_the_middle
func.func @scatter_of_the_middle(%a: tensor<3x4x5xf32>, %b: tensor<2x8x1xf32>)
    -> (tensor<3x2x5xf32>, tensor<2x4x1xf32>) {
  // CHECK: %[[A:.+]] = stablehlo.transpose %arg0, dims = [1, 0, 2]
  // CHECK: %[[B:.+]] = stablehlo.transpose %arg1, dims = [1, 0, 2]
  // CHECK: %[[S:.+]]:2 = comm.reduce_scatter {"data"=2} sum dim = 0 %[[A]], %[[B]] : (tensor<4x3x5xf32>, tensor<8x2x1xf32>) -> (tensor<2x3x5xf32>, tensor<4x2x1xf32>)
  // CHECK: stablehlo.transpose %[[S]]#0, dims = [1, 0, 2]
  // CHECK: stablehlo.transpose %[[S]]#1, dims = [1, 0, 2]
  %0:2 = comm.reduce_scatter {"data"=2} sum dim = 1 %a, %b
    : (tensor<3x4x5xf32>, tensor<2x8x1xf32>) -> (tensor<3x2x5xf32>, tensor<2x4x1xf32>)
  return %0#0, %0#1 : tensor<3x2x5xf32>, tensor<2x4x1xf32>
}

// CHECK-LABEL: @exchange
func.func @exchange(%a: tensor<4x6xf32>) -> tensor<8x3xf32> {
  // CHECK: %[[CUT:.+]] = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  // CHECK: %[[FRONT:.+]] = stablehlo.transpose %[[CUT]], dims = [1, 0, 2] : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: %[[SENT:.+]] = comm.all_to_all {"data"=2} split_dim = 0 concat_dim = 0 %[[FRONT]] {partopt.why = "w"} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: stablehlo.reshape %[[SENT]] : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
  %0 = comm.all_to_all {"data"=2} split_dim = 1 concat_dim = 0 %a {partopt.why = "w"} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @exchange_of_rows
func.func @exchange_of_rows(%a: tensor<4x6xf32>) -> tensor<2x12xf32> {
  // CHECK: %[[CUT:.+]] = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  // CHECK: %[[SENT:.+]] = comm.all_to_all {"data"=2} split_dim = 0 concat_dim = 0 %[[CUT]]
  // CHECK: %[[ROWS:.+]] = stablehlo.transpose %[[SENT]], dims = [1, 0, 2]
  // CHECK: stablehlo.reshape %[[ROWS]] : (tensor<2x2x6xf32>) -> tensor<2x12xf32>
  %0 = comm.all_to_all {"data"=2} split_dim = 0 concat_dim = 1 %a : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// What is contiguous already stays as it is.
// CHECK-LABEL: @contiguous
func.func @contiguous(%a: tensor<2x6xf32>) -> tensor<2x6xf32> {
  // CHECK-NEXT: comm.all_gather
  // CHECK-NEXT: comm.reduce_scatter
  // CHECK-NEXT: comm.all_to_all
  // CHECK-NEXT: comm.all_reduce
  // CHECK-NEXT: return
  %0 = comm.all_gather {"data"=2} dim = 0 %a : (tensor<2x6xf32>) -> tensor<4x6xf32>
  %1 = comm.reduce_scatter {"data"=2} sum dim = 0 %0 : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %2 = comm.all_to_all {"data"=2} split_dim = 0 concat_dim = 0 %1 : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %3 = comm.all_reduce {"data"=2} sum %2 : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %3 : tensor<2x6xf32>
}
