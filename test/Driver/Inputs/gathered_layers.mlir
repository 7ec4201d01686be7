// Each of three layers cuts rows out of what is split along them.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %b = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
  %0 = stablehlo.slice %a [1:4, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.slice %b [1:4, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %c = stablehlo.cosine %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
  %2 = stablehlo.slice %c [2:4, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  %r = stablehlo.concatenate %0, %1, %2, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
