// A product that nobody sums over.
func.func @main(%x: tensor<64x128xf32> {partopt.role = "batch"} loc("x"), %w: tensor<128x512xf32> {partopt.role = "param"} loc("w")) -> tensor<64x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}
