// Small kernels whose PTX is looked at.
func.func private @chain(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<1048576xf32> attributes {partopt.kernel} {
  %0 = stablehlo.multiply %a, %b : tensor<1048576xf32>
  %1 = stablehlo.add %0, %b : tensor<1048576xf32>
  %2 = stablehlo.divide %1, %a : tensor<1048576xf32>
  return %2 : tensor<1048576xf32>
}
func.func private @narrow(%a: tensor<4194304xbf16>) -> tensor<4194304xbf16> attributes {partopt.kernel} {
  %0 = stablehlo.add %a, %a : tensor<4194304xbf16>
  return %0 : tensor<4194304xbf16>
}
func.func private @turn(%a: tensor<1024x768xf32>) -> tensor<768x1024xf32> attributes {partopt.kernel} {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1024x768xf32>) -> tensor<768x1024xf32>
  return %0 : tensor<768x1024xf32>
}
func.func private @softmax(%a: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> attributes {partopt.kernel} {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
  %d = stablehlo.subtract %a, %mb : tensor<4096x1024xf32>
  %e = stablehlo.exponential %d : tensor<4096x1024xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
  %r = stablehlo.divide %e, %sb : tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}
func.func private @columns(%a: tensor<8192x1024xf32>) -> tensor<1024xf32> attributes {partopt.kernel} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8192x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
