// Rules of products, reductions, gather, scatter, windows and sorting.
// RUN: partopt-opt %s --partopt-print-sharding-rules | FileCheck %s

// CHECK-LABEL: func @products
func.func @products(%a: tensor<2x8x4xf32>, %b: tensor<2x4x16xf32>, %im: tensor<8x16x16x3xf32>, %k: tensor<3x3x3x5xf32>) {
  // CHECK: dot_general {{.*}}rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=8, k=16, l=4} reduction={l}>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<2x4x16xf32>) -> tensor<2x8x16xf32>
  // The output slides over the image; a stride leaves a part that is summed.
  // CHECK: convolution{{.*}}rule<([i, jk, lm, n], [k, m, n, o])->([i, j, l, o]) {i=8, j=8, k=2, l=8, m=2, n=3, o=5} reduction={k, m, n} permutation={j, l}>
  %1 = stablehlo.convolution(%im, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x3xf32>, tensor<3x3x3x5xf32>) -> tensor<8x8x8x5xf32>
  return
}

// Partial results need a known combiner and neutral initial values.
// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<8x4xf32>, %s: tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: reduce({{.*}}rule<([i, j], [])->([i]) {i=8, j=4} reduction={j}>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: reduce({{.*}}rule<([i, j], [])->([i]) {i=8, j=4} need_replication={j}>
  %1 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: reduce({{.*}}rule<([i, j], [])->([j]) {i=8, j=4} reduction={i}>
  %2 = stablehlo.reduce(%a init: %s) applies stablehlo.maximum across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: reduce({{.*}}rule<([i, j], [])->([i]) {i=8, j=4} need_replication={j}>
  %3 = stablehlo.reduce(%a init: %zero) applies stablehlo.subtract across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// A split table serves the indices that fall into its part.
// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x32x8xf32>, %i: tensor<16x6x1xi32>, %j: tensor<5x1xi32>) {
  // CHECK: gather{{.*}}rule<([i, l, k], [i, j, m])->([i, j, k]) {i=16, j=6, k=8, l=32, m=1} reduction={l} need_replication={m}>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<16x32x8xf32>, tensor<16x6x1xi32>) -> tensor<16x6x8xf32>
  // CHECK: gather{{.*}}rule<([i, l, m], [k, n])->([j, k, l, m]) {i=16, j=1, k=5, l=32, m=8, n=1} reduction={i} need_replication={j, m, n} blocked_propagation={m}>
  %1 = "stablehlo.gather"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32, 4>}> : (tensor<16x32x8xf32>, tensor<5x1xi32>) -> tensor<1x5x32x4xf32>
  return
}

// CHECK-LABEL: func @scatter
func.func @scatter(%a: tensor<16x32x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x32x8xf32>) {
  // CHECK: return
  // CHECK: rule<([l, j, k], [i, m], [i, j, k])->([l, j, k]) {i=5, j=32, k=8, l=16, m=1} reduction={i} need_replication={m}>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<16x32x8xf32>, tensor<5x1xi32>, tensor<5x32x8xf32>) -> tensor<16x32x8xf32>
  // Which update is last can not be told from a part of them.
  // CHECK: return
  // CHECK: rule<([l, j, k], [i, m], [i, j, k])->([l, j, k]) {i=5, j=32, k=8, l=16, m=1} need_replication={i, m}>
  %1 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<16x32x8xf32>, tensor<5x1xi32>, tensor<5x32x8xf32>) -> tensor<16x32x8xf32>
  return
}

// CHECK-LABEL: func @windows_and_order
func.func @windows_and_order(%a: tensor<8x4xf32>, %s: tensor<f32>) {
  // CHECK: return
  // CHECK: rule<([i, j], [])->([i, j]) {i=4, j=4} permutation={i}>
  %0 = "stablehlo.reduce_window"(%a, %s) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // CHECK: return
  // CHECK: rule<([i, j])->([i, j]) {i=8, j=4} need_replication={j}>
  %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: top_k{{.*}}rule<([i, j])->([i, j], [i, j]) {i=8, j=4} need_replication={j} blocked_propagation={j}>
  %v, %k = chlo.top_k(%a, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
  return
}
