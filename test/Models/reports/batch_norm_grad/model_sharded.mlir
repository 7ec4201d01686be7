// Forward and gradient of a batch norm over a batch of 5 on 3 devices; the
// expected values are those of JAX's derivative of the plain formula.
module @batch_norm_grad {
  sdy.mesh @m = <["d"=3]>
  func.func public @main(%arg0: tensor<5x3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {}, {}]>}, %arg1: tensor<3xf32>, %arg2: tensor<5x3x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {}, {}]>}) -> (tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
    %y, %mean, %var = "stablehlo.batch_norm_training"(%arg0, %arg1, %zero) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %mean, %var, %arg2) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3x4xf32>) -> (tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2, %y : tensor<5x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x3x4xf32>
  }
}
