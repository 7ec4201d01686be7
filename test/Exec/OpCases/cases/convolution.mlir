// Convolutions with their gradients as JAX writes them, and select_and_scatter.
// Batch, features in (a sum) and out are split; spatial dimensions are gathered.
func.func @convolution(%a: tensor<6x5x7x4xf32>, %b: tensor<3x3x4x10xf32>) -> tensor<6x5x7x10xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x5x7x4xf32>, tensor<3x3x4x10xf32>) -> tensor<6x5x7x10xf32>
  return %0 : tensor<6x5x7x10xf32>
}
func.func @convolution_strided(%a: tensor<5x6x8x3xf32>, %b: tensor<3x3x3x7xf32>) -> tensor<5x3x4x7xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x8x3xf32>, tensor<3x3x3x7xf32>) -> tensor<5x3x4x7xf32>
  return %0 : tensor<5x3x4x7xf32>
}
func.func @convolution_torch(%a: tensor<5x6x7x5xf32>, %b: tensor<7x6x3x3xf32>) -> tensor<5x7x7x5xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x7x5xf32>, tensor<7x6x3x3xf32>) -> tensor<5x7x7x5xf32>
  return %0 : tensor<5x7x7x5xf32>
}
// Windows of one element: spatial dimensions may be split.
func.func @convolution_point(%a: tensor<5x6x7x4xf32>, %b: tensor<1x1x4x9xf32>) -> tensor<5x6x7x9xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x7x4xf32>, tensor<1x1x4x9xf32>) -> tensor<5x6x7x9xf32>
  return %0 : tensor<5x6x7x9xf32>
}
// Its weight gradient: a sum over batch and space.
func.func @convolution_point_gradient(%a: tensor<5x6x7x4xf32>, %b: tensor<5x6x7x9xf32>) -> tensor<1x1x4x9xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x7x4xf32>, tensor<5x6x7x9xf32>) -> tensor<1x1x4x9xf32>
  return %0 : tensor<1x1x4x9xf32>
}
func.func @convolution_data_gradient(%a: tensor<5x4x4x6xf32>, %b: tensor<3x3x5x6xf32>) -> tensor<5x8x8x5xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x4x4x6xf32>, tensor<3x3x5x6xf32>) -> tensor<5x8x8x5xf32>
  return %0 : tensor<5x8x8x5xf32>
}
// The batch is summed over: padding rows count as zero.
func.func @convolution_weight_gradient(%a: tensor<5x6x6x4xf32>, %b: tensor<5x6x6x7xf32>) -> tensor<3x3x4x7xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x6x4xf32>, tensor<5x6x6x7xf32>) -> tensor<3x3x4x7xf32>
  return %0 : tensor<3x3x4x7xf32>
}
// Padding rows hold infinities here, which must not reach the sum.
func.func @convolution_weight_gradient_of_logarithms(%x: tensor<5x4x4x2xf32>, %y: tensor<5x4x4x3xf32>) -> tensor<3x3x2x3xf32> attributes {op = "stablehlo.convolution"} {
  %x2 = stablehlo.multiply %x, %x : tensor<5x4x4x2xf32>
  %y2 = stablehlo.multiply %y, %y : tensor<5x4x4x3xf32>
  %a = stablehlo.log %x2 : tensor<5x4x4x2xf32>
  %b = stablehlo.log %y2 : tensor<5x4x4x3xf32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x4x4x2xf32>, tensor<5x4x4x3xf32>) -> tensor<3x3x2x3xf32>
  return %0 : tensor<3x3x2x3xf32>
}
func.func @convolution_strided_weight_gradient(%a: tensor<6x8x8x5xf32>, %b: tensor<6x4x4x7xf32>) -> tensor<3x3x5x7xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x8x8x5xf32>, tensor<6x4x4x7xf32>) -> tensor<3x3x5x7xf32>
  return %0 : tensor<3x3x5x7xf32>
}
func.func @convolution_groups(%a: tensor<5x6x6x12xf32>, %b: tensor<3x3x3x12xf32>) -> tensor<5x6x6x12xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<5x6x6x12xf32>, tensor<3x3x3x12xf32>) -> tensor<5x6x6x12xf32>
  return %0 : tensor<5x6x6x12xf32>
}
func.func @convolution_groups_gradient(%a: tensor<5x6x6x12xf32>, %b: tensor<5x6x6x8xf32>) -> tensor<3x3x3x8xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<5x6x6x12xf32>, tensor<5x6x6x8xf32>) -> tensor<3x3x3x8xf32>
  return %0 : tensor<3x3x3x8xf32>
}
func.func @convolution_depthwise(%a: tensor<3x6x6x5xf32>, %b: tensor<3x3x1x5xf32>) -> tensor<3x6x6x5xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<3x6x6x5xf32>, tensor<3x3x1x5xf32>) -> tensor<3x6x6x5xf32>
  return %0 : tensor<3x6x6x5xf32>
}
func.func @convolution_depthwise_gradient(%a: tensor<3x6x6x5xf32>, %b: tensor<3x6x6x5xf32>) -> tensor<3x3x1x5xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 5 : i64, feature_group_count = 1 : i64} : (tensor<3x6x6x5xf32>, tensor<3x6x6x5xf32>) -> tensor<3x3x1x5xf32>
  return %0 : tensor<3x3x1x5xf32>
}
func.func @convolution_no_spatial(%a: tensor<6x5xf32>, %b: tensor<5x7xf32>) -> tensor<6x7xf32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<6x5xf32>, tensor<5x7xf32>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}
func.func @convolution_bf16(%a: tensor<5x6x6x3xbf16>, %b: tensor<3x3x3x7xbf16>) -> tensor<5x6x6x7xbf16> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x6x3xbf16>, tensor<3x3x3x7xbf16>) -> tensor<5x6x6x7xbf16>
  return %0 : tensor<5x6x6x7xbf16>
}
func.func @convolution_i32(%a: tensor<5x6x6x3xi32>, %b: tensor<3x3x3x7xi32>) -> tensor<5x6x6x7xi32> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x6x6x3xi32>, tensor<3x3x3x7xi32>) -> tensor<5x6x6x7xi32>
  return %0 : tensor<5x6x6x7xi32>
}
func.func @select_and_scatter(%a: tensor<5x7x7x6xf32>, %b: tensor<5x3x3x6xf32>) -> tensor<5x7x7x6xf32> attributes {op = "stablehlo.select_and_scatter"} {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x7x7x6xf32>, tensor<5x3x3x6xf32>, tensor<f32>) -> tensor<5x7x7x6xf32>
  return %0 : tensor<5x7x7x6xf32>
}
// Features before space, padding, and an initial value.
func.func @select_and_scatter_torch(%a: tensor<3x5x6x7xf32>, %b: tensor<3x5x4x4xf32>, %z: tensor<f32>) -> tensor<3x5x6x7xf32> attributes {op = "stablehlo.select_and_scatter"} {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) <{padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x5x6x7xf32>, tensor<3x5x4x4xf32>, tensor<f32>) -> tensor<3x5x6x7xf32>
  return %0 : tensor<3x5x6x7xf32>
}
