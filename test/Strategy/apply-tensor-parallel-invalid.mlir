// RUN: partopt-opt %s --partopt-apply-tensor-parallel -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{strategy tp splits the model's weights over mesh axis "model", which the mesh does not have (it is data=2); give it with --mesh model=N, or name another axis with --axis tp=NAME}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["model"=8]>
// expected-error@+1 {{strategy tp finds no dimension of a parameter that splits products over the 8 devices of axis "model" for less than a byte sent per}}
func.func @main(%x: tensor<8x4xf32> {partopt.role = "batch"}, %w: tensor<4x6xf32> {partopt.role = "param"}) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

sdy.mesh @mesh = <["model"=2]>
// expected-error@+1 {{argument 0 (w) already has a sharding over "model", which strategy tp decides}}
func.func @main(%w: tensor<4xf32> {partopt.role = "param", partopt.name = "w", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["model"=2]>
// expected-error@+1 {{the role of argument 0 is unknown: neither its name nor its use tells; strategy tp needs it}}
func.func @main(%x: tensor<4xf32> {partopt.role = "unknown"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
