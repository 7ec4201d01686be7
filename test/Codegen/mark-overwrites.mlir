// RUN: partopt-opt --partopt-mark-overwrites %s | FileCheck %s

// Point by point, the result may take the place of either input, but not of one
// with another shape.
// CHECK: func.func @update(%arg0: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>},
// CHECK-SAME: %arg1: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %arg2: tensor<f32>)
func.func @update(%w: tensor<4xf32>, %g: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %r = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %s = stablehlo.multiply %g, %r : tensor<4xf32>
  %0 = stablehlo.subtract %w, %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Elements that are read elsewhere may be gone; an input that is returned too
// must stay; functions that are no kernels are left alone.
// CHECK: func.func @reversed(%arg0: tensor<4xf32>) ->
func.func @reversed(%a: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func.func @returned(%arg0: tensor<4xf32>) ->
func.func @returned(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {partopt.kernel} {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0, %a : tensor<4xf32>, tensor<4xf32>
}
// CHECK: func.func @plain(%arg0: tensor<4xf32>) ->
func.func @plain(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The second result computes elements of the first again, at other places, from
// an input that must still be there; at its own place it has them at hand.
// CHECK: func.func @rolled(%arg0: tensor<8x8xf32>) ->
func.func @rolled(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {partopt.kernel} {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// CHECK: func.func @chained(%arg0: tensor<8x8xf32> {partopt.may_be_overwritten_by = array<i64: 0{{.*}}>}) ->
func.func @chained(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {partopt.kernel} {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// What writes a part of its operand may write over it, if nothing else of the
// operand is read at the same time or later.
// CHECK: func.func @row(%arg0: tensor<8x4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %arg1: tensor<1x4xf32>, %arg2: tensor<i32>)
func.func @row(%rows: tensor<8x4xf32>, %row: tensor<1x4xf32>, %i: tensor<i32>) -> tensor<8x4xf32> attributes {partopt.kernel} {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.tanh %row : tensor<1x4xf32>
  %1 = stablehlo.dynamic_update_slice %rows, %0, %i, %zero
    : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// CHECK: func.func @moved(%arg0: tensor<8x4xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>)
func.func @moved(%rows: tensor<8x4xf32>, %from: tensor<i32>, %i: tensor<i32>) -> tensor<8x4xf32> attributes {partopt.kernel} {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %rows, %from, %zero, sizes = [2, 4]
    : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = stablehlo.dynamic_update_slice %rows, %0, %i, %zero
    : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// CHECK: func.func @added(%arg0: tensor<8xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %arg1: tensor<3x1xi32>, %arg2: tensor<3xf32>)
func.func @added(%into: tensor<8xf32>, %at: tensor<3x1xi32>, %values: tensor<3xf32>) -> tensor<8xf32> attributes {partopt.kernel} {
  %0 = "stablehlo.scatter"(%into, %at, %values) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
