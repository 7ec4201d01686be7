// Rules of elementwise ops and of ops that rename, repeat or cut elements.
// RUN: partopt-opt %s --partopt-print-sharding-rules | FileCheck %s

// A scalar beside tensors has no factor.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<8x1xf32>, %s: tensor<f32>, %p: tensor<i1>) {
  // CHECK: add {{.*}}rule<([i, j], [i, j])->([i, j]) {i=8, j=1}>
  %0 = stablehlo.add %a, %a : tensor<8x1xf32>
  // CHECK: add {{.*}}rule<([], [])->([])>
  %1 = stablehlo.add %s, %s : tensor<f32>
  // CHECK: select {{.*}}rule<([], [i, j], [i, j])->([i, j]) {i=8, j=1}>
  %2 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<8x1xf32>
  // CHECK: clamp {{.*}}rule<([], [i, j], [])->([i, j]) {i=8, j=1}>
  %3 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  // CHECK: square {{.*}}rule<([i, j])->([i, j]) {i=8, j=1}>
  %4 = chlo.square %a : tensor<8x1xf32> -> tensor<8x1xf32>
  return
}

// Only dimensions that stay whole pass through.
// CHECK-LABEL: func @parts
func.func @parts(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: slice {{.*}}rule<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
  %0 = stablehlo.slice %a [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.slice %a [4:8, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: concatenate {{.*}}rule<([i, j], [i, j])->([i, j]) {i=8, j=4} permutation={i}>
  %2 = stablehlo.concatenate %1, %0, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: concatenate {{.*}}rule<([i, j], [i, j])->([i, j]) {i=14, j=4} need_replication={i}>
  %3 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<14x4xf32>
  // CHECK: pad {{.*}}rule<([i, j], [])->([i, j]) {i=8, j=4} permutation={i}>
  %4 = stablehlo.pad %a, %s, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x4xf32>
  // The size stays but every element moves.
  // CHECK: pad {{.*}}rule<([i, j], [])->([i, j]) {i=8, j=4} permutation={i}>
  %5 = stablehlo.pad %a, %s, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  // CHECK: dynamic_slice {{.*}}rule<([i, j], [], [])->([i, j]) {i=8, j=4} need_replication={i} blocked_propagation={i}>
  %6 = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  // CHECK: dynamic_update_slice {{.*}}rule<([i, k], [j, k], [], [])->([i, k]) {i=8, j=2, k=4} need_replication={j}>
  %7 = stablehlo.dynamic_update_slice %a, %6, %i, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func @rename
func.func @rename(%a: tensor<8x1xf32>, %b: tensor<8x4xf32>, %s: tensor<f32>) {
  // CHECK: broadcast_in_dim {{.*}}rule<([j, k])->([i, j, l]) {i=2, j=8, k=1, l=5}>
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<8x1xf32>) -> tensor<2x8x5xf32>
  // CHECK: broadcast_in_dim {{.*}}rule<([])->([i, j]) {i=2, j=8}>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
  // CHECK: transpose {{.*}}rule<([j, i])->([i, j]) {i=4, j=8}>
  %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // CHECK: reverse {{.*}}rule<([i, j])->([i, j]) {i=8, j=4} permutation={i}>
  %3 = stablehlo.reverse %b, dims = [0] : tensor<8x4xf32>
  // CHECK: bitcast_convert {{.*}}rule<([i, j])->([i, j, k]) {i=8, j=4, k=4} need_replication={k}>
  %4 = stablehlo.bitcast_convert %b : (tensor<8x4xf32>) -> tensor<8x4x4xi8>
  return
}

// Dimensions share the factors at equal strides, also where sizes do not divide.
// CHECK-LABEL: func @reshape
func.func @reshape(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>, %z: tensor<0x4xf32>, %s: tensor<f32>, %t: tensor<6x10xf32>) {
  // CHECK: reshape {{.*}}rule<([i, j])->([ij]) {i=8, j=4}>
  %0 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<32xf32>
  // CHECK: reshape {{.*}}rule<([ij, k])->([i, jk]) {i=2, j=4, k=4}>
  %1 = stablehlo.reshape %a : (tensor<8x4xf32>) -> tensor<2x16xf32>
  // CHECK: reshape {{.*}}rule<([j, l])->([i, j, k, l]) {i=1, j=6, k=1, l=4}>
  %2 = stablehlo.reshape %b : (tensor<6x4xf32>) -> tensor<1x6x1x4xf32>
  // CHECK: reshape {{.*}}rule<([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=5}>
  %3 = stablehlo.reshape %t : (tensor<6x10xf32>) -> tensor<4x15xf32>
  // CHECK: reshape {{.*}}rule<([i, j])->([k, l]) {i=0, j=4, k=4, l=0}>
  %4 = stablehlo.reshape %z : (tensor<0x4xf32>) -> tensor<4x0xf32>
  // CHECK: reshape {{.*}}rule<([])->([i]) {i=1}>
  %5 = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
  return
}
