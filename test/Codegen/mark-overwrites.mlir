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
