// Rows that are scaled by their numbers in the batch, whole numbers that no order
// of sums rounds.
module @counted_rows {
  func.func public @main(%arg0: tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.iota dim = 0 : tensor<16x4xf32>
    %scaled = stablehlo.multiply %arg0, %rows : tensor<16x4xf32>
    %whole = stablehlo.round_nearest_even %scaled : tensor<16x4xf32>
    %sum = stablehlo.reduce(%whole init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %scaled, %sum : tensor<16x4xf32>, tensor<4xf32>
  }
}
