// RUN: partopt-opt %s --partopt-apply-data-parallel -verify-diagnostics -split-input-file

// expected-error@+1 {{strategy ddp splits the batch over mesh axis "data", which the mesh does not have (there is no mesh); give it with --mesh data=N}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["data"=8]>
// expected-error@+1 {{argument 0 (x) has 4 rows, fewer than the 8 devices of axis "data"; use at most --mesh data=4}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch", partopt.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{the role of argument 0 is unknown: neither its name nor its use tells; strategy ddp needs it, so give it with --arg-role}}
func.func @main(%x: tensor<4xf32> {partopt.role = "unknown"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{no argument has the role 'batch'; name them with --arg-role 'REGEX=batch'}}
func.func @main(%x: tensor<4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{argument 0 already has a sharding over "data", which strategy ddp decides}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{argument 0 has the role 'batch' but is a scalar; give another role with --arg-role 'REGEX=scalar'}}
func.func @main(%x: tensor<f32> {partopt.role = "batch"}) -> tensor<f32> {
  return %x : tensor<f32>
}
