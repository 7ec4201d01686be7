// RUN: partopt-opt --partopt-form-kernels --split-input-file --verify-diagnostics %s

func.func @no_kernel(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{has no kernel in this version}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @no_type(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{has no kernel for type 'tensor<4xcomplex<f32>>'}}
  %0 = stablehlo.exponential %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
