sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %e = stablehlo.exponential %s : tensor<64xf32>
  %l = stablehlo.log %e : tensor<64xf32>
  %d = stablehlo.subtract %s, %l : tensor<64xf32>
  return %d : tensor<64xf32>
}
