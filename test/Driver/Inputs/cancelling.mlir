// Sums of numbers near 1000, of which only what is left of 64 times 1000 stays.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %n = stablehlo.constant dense<64.0e3> : tensor<64xf32>
  %d = stablehlo.subtract %s, %n : tensor<64xf32>
  return %d : tensor<64xf32>
}
