// RUN: partopt-opt --partopt-form-kernels --split-input-file --verify-diagnostics %s

func.func @no_kernel(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{has no kernel in this version}}
  %0 = stablehlo.custom_call @elsewhere(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @no_type(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  // expected-error @below {{has no kernel for type 'tensor<4xf8E5M2>'}}
  %0 = stablehlo.exponential %x : tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// -----

func.func @no_complex_form(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'stablehlo.maximum' has no kernel for element type 'complex<f32>'}}
  %0 = stablehlo.maximum %x, %y : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @no_complex_form_in_region(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
  %z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  // expected-error @below {{'stablehlo.maximum' has no kernel for element type 'complex<f32>'}}
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
