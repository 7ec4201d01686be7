// Fourier transforms, Cholesky factors and triangular solves.
func.func @fft(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = FFT, length = [5] : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @ifft_two(%a: tensor<5x4x3xcomplex<f64>>) -> tensor<5x4x3xcomplex<f64>> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = IFFT, length = [4, 3] : (tensor<5x4x3xcomplex<f64>>) -> tensor<5x4x3xcomplex<f64>>
  return %0 : tensor<5x4x3xcomplex<f64>>
}
func.func @rfft_of_three(%a: tensor<5x2x3x4xf32>) -> tensor<5x2x3x3xcomplex<f32>> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = RFFT, length = [2, 3, 4] : (tensor<5x2x3x4xf32>) -> tensor<5x2x3x3xcomplex<f32>>
  return %0 : tensor<5x2x3x3xcomplex<f32>>
}
func.func @rfft_two_batches(%a: tensor<6x5x7xf64>) -> tensor<6x5x4xcomplex<f64>> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = RFFT, length = [7] : (tensor<6x5x7xf64>) -> tensor<6x5x4xcomplex<f64>>
  return %0 : tensor<6x5x4xcomplex<f64>>
}
func.func @irfft(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = IRFFT, length = [8] : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
func.func @irfft_odd_two(%a: tensor<6x4x3xcomplex<f32>>) -> tensor<6x4x5xf32> attributes {op = "stablehlo.fft"} {
  %0 = stablehlo.fft %a, type = IRFFT, length = [4, 5] : (tensor<6x4x3xcomplex<f32>>) -> tensor<6x4x5xf32>
  return %0 : tensor<6x4x5xf32>
}
func.func @fft_long(%a: tensor<5x4xf32>) -> tensor<5x180xcomplex<f32>> attributes {op = "stablehlo.fft"} {
  %i = stablehlo.iota dim = 1 : tensor<5x4x45xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<5x4xf32>) -> tensor<5x4x45xf32>
  %s = stablehlo.multiply %b, %i : tensor<5x4x45xf32>
  %r = stablehlo.reshape %s : (tensor<5x4x45xf32>) -> tensor<5x180xf32>
  %c = stablehlo.complex %r, %r : tensor<5x180xcomplex<f32>>
  %0 = stablehlo.fft %c, type = FFT, length = [180] : (tensor<5x180xcomplex<f32>>) -> tensor<5x180xcomplex<f32>>
  return %0 : tensor<5x180xcomplex<f32>>
}
func.func @cholesky_lower(%a: tensor<6x3x3xf32>) -> tensor<6x3x3xf32> attributes {op = "stablehlo.cholesky"} {
  %c = stablehlo.constant dense<[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf32>
  %d = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<6x3x3xf32>
  %s = stablehlo.add %a, %d : tensor<6x3x3xf32>
  %0 = stablehlo.cholesky %s, lower = true : tensor<6x3x3xf32>
  return %0 : tensor<6x3x3xf32>
}
func.func @cholesky_upper(%a: tensor<5x2x3x3xcomplex<f64>>) -> tensor<5x2x3x3xcomplex<f64>> attributes {op = "stablehlo.cholesky"} {
  %c = stablehlo.constant dense<[[(9.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (9.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (9.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %d = stablehlo.broadcast_in_dim %c, dims = [2, 3] : (tensor<3x3xcomplex<f64>>) -> tensor<5x2x3x3xcomplex<f64>>
  %s = stablehlo.add %a, %d : tensor<5x2x3x3xcomplex<f64>>
  %0 = stablehlo.cholesky %s, lower = false : tensor<5x2x3x3xcomplex<f64>>
  return %0 : tensor<5x2x3x3xcomplex<f64>>
}
func.func @cholesky_one(%a: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {op = "stablehlo.cholesky"} {
  %c = stablehlo.constant dense<9.0> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4x4xf32>
  %i = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %j = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %d = stablehlo.select %e, %b, %z : tensor<4x4xi1>, tensor<4x4xf32>
  %s = stablehlo.add %a, %d : tensor<4x4xf32>
  %0 = stablehlo.cholesky %s, lower = true : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @solve_left(%a: tensor<6x3x3xf32>, %b: tensor<6x3x5xf32>) -> tensor<6x3x5xf32> attributes {op = "stablehlo.triangular_solve"} {
  %c = stablehlo.constant dense<[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf32>
  %d = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<6x3x3xf32>
  %s = stablehlo.add %a, %d : tensor<6x3x3xf32>
  %0 = "stablehlo.triangular_solve"(%s, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x3x3xf32>, tensor<6x3x5xf32>) -> tensor<6x3x5xf32>
  return %0 : tensor<6x3x5xf32>
}
func.func @solve_right_unit(%a: tensor<5x3x3xf64>, %b: tensor<5x2x3xf64>) -> tensor<5x2x3xf64> attributes {op = "stablehlo.triangular_solve"} {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<5x3x3xf64>, tensor<5x2x3xf64>) -> tensor<5x2x3xf64>
  return %0 : tensor<5x2x3xf64>
}
func.func @solve_adjoint(%a: tensor<4x4xcomplex<f32>>, %b: tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>> attributes {op = "stablehlo.triangular_solve"} {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<4x4xcomplex<f32>>, tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
  return %0 : tensor<4x3xcomplex<f32>>
}
