// RUN: partopt-opt --partopt-form-kernels --split-input-file %s | FileCheck %s

// Windows of one element: a product on views, without a copy.
// CHECK-LABEL: func.func @point
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x4x4x8xf32>, %[[W:[^:]+]]: tensor<1x1x8x16xf32>
// CHECK-DAG:     %[[A:.+]] = stablehlo.reshape %[[X]] : (tensor<2x4x4x8xf32>) -> tensor<32x8xf32>
// CHECK-DAG:     %[[B:.+]] = stablehlo.reshape %[[W]] : (tensor<1x1x8x16xf32>) -> tensor<8x16xf32>
// CHECK:         stablehlo.dot_general %[[A]], %[[B]]
// CHECK-NOT:     partopt.kernel
func.func @point(%x: tensor<2x4x4x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<2x4x4x16xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<2x4x4x16xf32>
  return %0 : tensor<2x4x4x16xf32>
}

// -----

// Its weight gradient: one window that is the whole input.
// CHECK-LABEL: func.func @whole
// CHECK:         stablehlo.dot_general %{{.+}}, %{{.+}}, contracting_dims = [0] x [0] : (tensor<32x8xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
// CHECK-NOT:     partopt.kernel
func.func @whole(%x: tensor<2x4x4x8xf32>, %g: tensor<2x4x4x16xf32>) -> tensor<1x1x8x16xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x8xf32>, tensor<2x4x4x16xf32>) -> tensor<1x1x8x16xf32>
  return %0 : tensor<1x1x8x16xf32>
}

// -----

// A data gradient: the reversal becomes the window's, and only the kernel is
// turned.
// CHECK-LABEL: func.func @data
// CHECK-NOT:     stablehlo.reverse
// CHECK:       func.func private
// CHECK-NEXT:    stablehlo.transpose {{.+}} -> tensor<3x3x16x8xf32>
// CHECK:       func.func private
// CHECK-NEXT:    stablehlo.convolution{{.+}} dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]{{.+}}lhs_dilate = [2, 2]{{.+}}reverse = [true, true]
// CHECK-NOT:     stablehlo.reverse
func.func @data(%g: tensor<2x4x4x16xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<2x8x8x8xf32> {
  %r = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x8x16xf32>
  %0 = stablehlo.convolution(%g, %r) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x16xf32>, tensor<3x3x8x16xf32>) -> tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}

// -----

// Nothing is fused into a convolution: its operands are read many times.
// CHECK-LABEL: func.func @fused
// CHECK-COUNT-3: call @
// CHECK:       func.func private
// CHECK-NEXT:    stablehlo.tanh
// CHECK-NEXT:    return
// CHECK:       func.func private
// CHECK-NEXT:    stablehlo.convolution
// CHECK-NEXT:    return
func.func @fused(%x: tensor<2x4x4x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<2x2x2x16xf32> {
  %t = stablehlo.tanh %x : tensor<2x4x4x8xf32>
  %0 = stablehlo.convolution(%t, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x2x2x16xf32>
  %1 = stablehlo.tanh %0 : tensor<2x2x2x16xf32>
  return %1 : tensor<2x2x2x16xf32>
}
