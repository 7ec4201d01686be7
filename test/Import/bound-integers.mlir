// RUN: partopt-opt %s -split-input-file -partopt-bound-integers | FileCheck %s

// Rows of a table, with the normalisation of negative numbers as JAX writes it;
// the labels of a one-hot; a start that has to leave room for the slice.
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: %arg0: tensor<128x4xf32>,
    %table: tensor<128x4xf32>,
    // CHECK-SAME: %arg1: tensor<8x2xi32> {partopt.int_bound = 128 : i64}
    %tokens: tensor<8x2xi32>,
    // CHECK-SAME: %arg2: tensor<8xui8> {partopt.int_bound = 10 : i64}
    %labels: tensor<8xui8>,
    // CHECK-SAME: %arg3: tensor<i32> {partopt.int_bound = 126 : i64}
    %start: tensor<i32>,
    // CHECK-SAME: %arg4: tensor<i32>,
    %count: tensor<i32>,
    // CHECK-SAME: %arg5: tensor<8x2xi1>)
    %mask: tensor<8x2xi1>)
    -> (tensor<8x2x4xf32>, tensor<8x10xi1>, tensor<3x4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<8x2xi32>
  %rows = stablehlo.constant dense<128> : tensor<8x2xi32>
  %0 = stablehlo.compare LT, %tokens, %zero, SIGNED : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
  %1 = stablehlo.add %tokens, %rows : tensor<8x2xi32>
  %2 = stablehlo.select %0, %1, %tokens : tensor<8x2xi1>, tensor<8x2xi32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
  %4 = "stablehlo.gather"(%table, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 4>}> : (tensor<128x4xf32>, tensor<8x2x1xi32>) -> tensor<8x2x4xf32>
  %5 = stablehlo.iota dim = 0 : tensor<10xi32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<10xi32>) -> tensor<8x10xi32>
  %7 = stablehlo.convert %labels : (tensor<8xui8>) -> tensor<8xi32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xi32>) -> tensor<8x10xi32>
  %9 = stablehlo.compare EQ, %8, %6, SIGNED : (tensor<8x10xi32>, tensor<8x10xi32>) -> tensor<8x10xi1>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %10 = stablehlo.clamp %c, %start, %c3 : tensor<i32>
  %11 = stablehlo.dynamic_slice %table, %10, %c, sizes = [3, 4] : (tensor<128x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  %12 = stablehlo.add %count, %c3 : tensor<i32>
  return %4, %9, %11, %12 : tensor<8x2x4xf32>, tensor<8x10xi1>, tensor<3x4xf32>, tensor<i32>
}

// -----

// Components of one index have their own bounds; the smallest use counts; a
// number of eight bits has at most 128 values.
// CHECK-LABEL: func @main
func.func @main(%table: tensor<300x20xf32>,
    // CHECK-SAME: %arg1: tensor<5x1xi32> {partopt.int_bound = 300 : i64}
    %row: tensor<5x1xi32>,
    // CHECK-SAME: %arg2: tensor<5x1xi32> {partopt.int_bound = 20 : i64}
    %column: tensor<5x1xi32>,
    // CHECK-SAME: %arg3: tensor<5x1xi8> {partopt.int_bound = 128 : i64}
    %small: tensor<5x1xi8>,
    // CHECK-SAME: %arg4: tensor<5x2xi32> {partopt.int_bound = 20 : i64}
    %both: tensor<5x2xi32>,
    // CHECK-SAME: %arg5: tensor<5x1xi64> {partopt.int_bound = 7 : i64}
    %twice: tensor<5x1xi64>, %small_table: tensor<7x2xf32>)
    -> (tensor<5xf32>, tensor<5x20xf32>, tensor<5xf32>, tensor<300x20xf32>, tensor<5x2xf32>) {
  %0 = stablehlo.concatenate %row, %column, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %1 = "stablehlo.gather"(%table, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<300x20xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %2 = "stablehlo.gather"(%table, %small) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<300x20xf32>, tensor<5x1xi8>) -> tensor<5x20xf32>
  %3 = "stablehlo.gather"(%table, %both) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<300x20xf32>, tensor<5x2xi32>) -> tensor<5xf32>
  %4 = "stablehlo.scatter"(%table, %twice, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<300x20xf32>, tensor<5x1xi64>, tensor<5x20xf32>) -> tensor<300x20xf32>
  %5 = "stablehlo.gather"(%small_table, %twice) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<7x2xf32>, tensor<5x1xi64>) -> tensor<5x2xf32>
  return %1, %2, %3, %4, %5 : tensor<5xf32>, tensor<5x20xf32>, tensor<5xf32>, tensor<300x20xf32>, tensor<5x2xf32>
}

// -----

// Through a loop; a scatter's window takes room; arithmetic, a key and an
// ordering say nothing.
// CHECK-LABEL: func @main
func.func @main(%table: tensor<16xf32>,
    // CHECK-SAME: %arg1: tensor<i32> {partopt.int_bound = 16 : i64}
    %position: tensor<i32>,
    // CHECK-SAME: %arg2: tensor<1xi32> {partopt.int_bound = 13 : i64}
    %at: tensor<1xi32>,
    // CHECK-SAME: %arg3: tensor<i32>,
    %doubled: tensor<i32>,
    // CHECK-SAME: %arg4: tensor<i32>,
    %length: tensor<i32>,
    // CHECK-SAME: %arg5: tensor<2xui32>,
    %key: tensor<2xui32>, %update: tensor<4xf32>)
    -> (tensor<16xf32>, tensor<16xf32>, tensor<1xf32>, tensor<16xi1>, tensor<2xui32>) {
  %c = stablehlo.constant dense<4> : tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %0:2 = stablehlo.while(%i = %position, %t = %table) : tensor<i32>, tensor<16xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_update_slice %t, %one, %i : (tensor<16xf32>, tensor<1xf32>, tensor<i32>) -> tensor<16xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<16xf32>
  }
  %2 = "stablehlo.scatter"(%table, %at, %update) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<16xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<16xf32>
  %3 = stablehlo.multiply %doubled, %c : tensor<i32>
  %4 = stablehlo.dynamic_slice %table, %3, sizes = [1] : (tensor<16xf32>, tensor<i32>) -> tensor<1xf32>
  %5 = stablehlo.iota dim = 0 : tensor<16xi32>
  %6 = stablehlo.broadcast_in_dim %length, dims = [] : (tensor<i32>) -> tensor<16xi32>
  %7 = stablehlo.compare LT, %5, %6 : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
  %9 = stablehlo.xor %key, %key : tensor<2xui32>
  return %0#1, %2, %4, %7, %9 : tensor<16xf32>, tensor<16xf32>, tensor<1xf32>, tensor<16xi1>, tensor<2xui32>
}
