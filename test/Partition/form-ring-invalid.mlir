// RUN: partopt-opt %s --partopt-form-ring --split-input-file --verify-diagnostics

// The mark demands a ring, and the scores are a result.
func.func @read_elsewhere(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 0 : i64, required}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %s = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  // expected-error@+1 {{this attention's keys and values cannot go around a ring: 'func.return' needs all keys at once; use --cp-form gather or ulysses}}
  return %s : tensor<4x16xf32>
}

// -----

func.func @no_softmax(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{cannot go around a ring: no softmax over the keys is found}}
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 0 : i64, required}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %s = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %l : tensor<4xf32>
}
