// Near its poles the tangent makes much of the last bits of a sum in bf16.
sdy.mesh @mesh = <["x"=8]>
func.func @main(%w: tensor<256x16xbf16>, %a: tensor<16x256xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<16x16xbf16> {
  %s = stablehlo.constant dense<200.0> : tensor<16x16xbf16>
  %d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<16x256xbf16>, tensor<256x16xbf16>) -> tensor<16x16xbf16>
  %m = stablehlo.multiply %d, %s : tensor<16x16xbf16>
  %r = stablehlo.tan %m : tensor<16x16xbf16>
  return %r : tensor<16x16xbf16>
}
