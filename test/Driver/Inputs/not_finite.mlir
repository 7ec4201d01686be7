// A result of numbers, one of NaN, one of infinities, and one of both and numbers.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %q = stablehlo.multiply %x, %x : tensor<64xf32>
  %m = stablehlo.negate %q : tensor<64xf32>
  %s = stablehlo.log %m : tensor<64xf32>
  %n = stablehlo.add %m, %s : tensor<64xf32>
  %z = stablehlo.subtract %x, %x : tensor<64xf32>
  %i = stablehlo.divide %q, %z : tensor<64xf32>
  %p = stablehlo.log %x : tensor<64xf32>
  return %x, %n, %i, %p : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
