// Convolutions that do not verify or do not parse.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{input dimensions = [0, 1, 2, 3] has 4 entries, but the tensor 'tensor<2x4x10xf32>' has rank 3}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{kernel dimensions = [1, 0] has 2 entries, but the tensor 'tensor<6x4x3xf32>' has rank 3}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{output dimensions = [0, 1] has 2 entries, but the tensor 'tensor<2x6x10xf32>' has rank 3}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4xf32>) {
  // expected-error @+1 {{input, kernel and output must have as many spatial dimensions, but have 1, 0 and 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{feature_group_count = 2 and batch_group_count = 2 must be positive, and one of them 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{feature_group_count = 0 and batch_group_count = 1 must be positive, and one of them 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{input features 4 must be feature_group_count = 2 times the kernel's input features 4}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<5x2x3xf32>) {
  // expected-error @+1 {{the kernel's output features 5 must be a multiple of feature_group_count = 2 and of batch_group_count = 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x10xf32>, tensor<5x2x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{the batch of size 2 must be a multiple of batch_group_count = 3}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{precision has 1 entries, but there are 2 operands}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>]} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{reverse has 2 entries, but there are 1 spatial dimensions}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{window_strides = [1, 1] has 2 entries, but the window has rank 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{window_strides = [0] must be positive}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{base_dilations = [0] must be positive}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {lhs_dilate = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{window_dilations = [-1] must be positive}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {rhs_dilate = [-1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{padding must have shape [1, 2], but has shape [2, 2]}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{window dimension 0 has more than 2^63 places}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[9223372036854775807, 9223372036854775807]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{result must have type 'tensor<2x6x10xf32>', but has type 'tensor<2x6x9xf32>'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a number, 'b' or 'f' once, but got 'g'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, g, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected a number, 'b' or 'f' once, but got 'b'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, b, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected the dimensions 'b' and 'f' in the list}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 1, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected each of the 1 spatial dimensions from 0 once, but got 1}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 1]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected pairs of low and high padding, but got 1 values}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @case(%arg0: tensor<2x4x10xf32>, %arg1: tensor<6x4x3xf32>) {
  // expected-error @+1 {{expected 'stride', 'pad', 'lhs_dilate', 'rhs_dilate' or 'reverse' once, but got 'strides'}}
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {strides = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x10xf32>, tensor<6x4x3xf32>) -> tensor<2x6x10xf32>
  return
}
