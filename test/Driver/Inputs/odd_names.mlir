// Names with a line break and a terminal's escape sequence.
func.func @main(%arg0: tensor<8x4xf32> loc("a\22b\0Ac")) -> (tensor<8x4xf32> {jax.result_info = "r\1B[31m"}) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
