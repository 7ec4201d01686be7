// RUN: partopt-opt %s --partopt-apply-context-parallel=form=ulysses -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{strategy cp splits the sequence over mesh axis "context", which the mesh does not have (it is data=2); give it with --mesh context=N, or name another axis with --axis cp=NAME}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// A softmax of a router or of a vocabulary is over a parameter's dimension.
sdy.mesh @mesh = <["context"=2]>
// expected-error@+1 {{strategy cp finds no attention: no softmax over the keys of a product of two activations that has as many queries}}
func.func @main(%x: tensor<4x8xf32> {partopt.role = "batch"}, %w: tensor<8x4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  %scores = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %max : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["context"=4]>
func.func @heads(%q: tensor<2x16x2x4xf32> {partopt.role = "batch"}, %k: tensor<2x16x2x4xf32> {partopt.role = "batch"}) -> tensor<2x2x16xf32> {
  // expected-error@+1 {{strategy cp: this attention has 2 heads, too few to give each of the 4 devices of axis "context" some of its own; use a smaller axis, or --cp-form gather or ring}}
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x2x4xf32>, tensor<2x16x2x4xf32>) -> tensor<2x2x16x16xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
  return %max : tensor<2x2x16xf32>
}

// -----

sdy.mesh @mesh = <["context"=4]>
func.func @short(%q: tensor<8x3x4xf32> {partopt.role = "batch"}, %k: tensor<8x3x4xf32> {partopt.role = "batch"}) -> tensor<8x3xf32> {
  // expected-error@+1 {{strategy cp: the sequence has 3 positions, fewer than the 4 devices of axis "context"; use at most --mesh context=3}}
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x3x4xf32>, tensor<8x3x4xf32>) -> tensor<8x3x3xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<8x3x3xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %max : tensor<8x3xf32>
}
