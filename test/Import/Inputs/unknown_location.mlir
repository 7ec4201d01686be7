module {
  func.func private @twice(%arg0: tensor<8x4xf32> loc(unknown)) -> tensor<8x4xf32> {
    return %arg0 : tensor<8x4xf32> loc(unknown)
  } loc(unknown)
  func.func public @main(%arg0: tensor<4x4xf32> {tf.aliasing_output = 0 : i32} loc("params['w']"), %arg1: tensor<8x4xf32> loc("x")) -> (tensor<4x4xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32> loc(unknown)
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> loc(unknown)
    %1 = call @twice(%0) : (tensor<8x4xf32>) -> tensor<8x4xf32> loc(unknown)
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32> loc(unknown)
    %3 = stablehlo.dot_general %arg1, %1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32> loc(unknown)
    %4 = stablehlo.subtract %arg0, %3 : tensor<4x4xf32> loc(unknown)
    return %4, %2 : tensor<4x4xf32>, tensor<f32> loc(unknown)
  } loc(unknown)
} loc(unknown)
