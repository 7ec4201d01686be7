func.func @main(%arg0: tensor<128xf32>) -> tensor<128xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<128xf32>
  return %0 : tensor<128xf32>
}
