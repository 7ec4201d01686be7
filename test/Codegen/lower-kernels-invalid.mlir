// RUN: partopt-opt --partopt-lower-kernels --split-input-file --verify-diagnostics %s

// expected-error @below {{kernel @narrow has an argument or result of type 'tensor<4xf8E5M2>', for which there are no kernels}}
func.func @narrow(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> attributes {partopt.kernel} {
  return %x : tensor<4xf8E5M2>
}

// -----

func.func @unknown_op(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {partopt.kernel} {
  // expected-error @below {{has no kernel in this version}}
  %0 = stablehlo.custom_call @elsewhere(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @reduce_precision(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  // expected-error @below {{has no kernel for element type 'f32'}}
  %0 = stablehlo.reduce_precision %x, format = e4m3 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @stack(%x: tensor<256x512xf32>) -> tensor<256x512xf32> attributes {partopt.kernel} {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<256x512xf32>) -> tensor<256x512x2xf32>
  // expected-error @below {{kernel @stack needs 524288 bytes of temporaries, more than the 131072 that a kernel may use; the largest is 'tensor<256x512xf32>'}}
  %s = stablehlo.reduce(%b init: %c) applies stablehlo.add across dimensions = [2] : (tensor<256x512x2xf32>, tensor<f32>) -> tensor<256x512xf32>
  %t = stablehlo.reverse %s, dims = [0, 1] : tensor<256x512xf32>
  return %t : tensor<256x512xf32>
}

// -----

// expected-error @below {{kernel @reversed may not write result 0 over argument 0}}
func.func @reversed(%x: tensor<4xf32> {partopt.overwritten_by = 0 : i64}) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
