// One step of a linear model: w -= 0.5 * x^T (x w - y) / 8.
module @linear_regression {
  func.func public @main(%arg0: tensor<8x4xf32> {tf.aliasing_output = 0 : i32} loc("params['w']"), %arg1: tensor<4x8xf32> loc("batch['x']"), %arg2: tensor<4x4xf32> loc("batch['y']")) -> (tensor<8x4xf32> {jax.result_info = "w"}, tensor<f32> {jax.result_info = "loss"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %eighth = stablehlo.constant dense<0.125> : tensor<8x4xf32>
    %rate = stablehlo.constant dense<0.5> : tensor<8x4xf32>
    %pred = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %d = stablehlo.subtract %pred, %arg2 : tensor<4x4xf32>
    %dd = stablehlo.multiply %d, %d : tensor<4x4xf32>
    %loss = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %g = stablehlo.dot_general %arg1, %d, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %s = stablehlo.multiply %g, %eighth : tensor<8x4xf32>
    %u = stablehlo.multiply %s, %rate : tensor<8x4xf32>
    %w = stablehlo.subtract %arg0, %u : tensor<8x4xf32>
    return %w, %loss : tensor<8x4xf32>, tensor<f32>
  }
}
