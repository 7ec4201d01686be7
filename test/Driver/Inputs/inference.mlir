// Inference without telling names.
func.func @main(%first: tensor<4x4xf32> loc("first"), %second: tensor<4x4xf32> loc("second"), %x: tensor<8x4xf32> loc("x")) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %first, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.tanh %0 : tensor<8x4xf32>
  %2 = stablehlo.dot_general %1, %second, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
