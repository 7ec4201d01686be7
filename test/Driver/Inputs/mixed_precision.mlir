// A bf16 gradient that is summed over the devices, and its f32 moment.
sdy.mesh @mesh = <["data"=4]>
func.func @main(%m: tensor<16x16xf32>,
                %x: tensor<64x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %y: tensor<64x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x16xf32>, tensor<16x16xbf16>) {
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x16xbf16>, tensor<64x16xbf16>) -> tensor<16x16xbf16>
  %wide = stablehlo.convert %g : (tensor<16x16xbf16>) -> tensor<16x16xf32>
  %next = stablehlo.add %m, %wide : tensor<16x16xf32>
  return %next, %g : tensor<16x16xf32>, tensor<16x16xbf16>
}
