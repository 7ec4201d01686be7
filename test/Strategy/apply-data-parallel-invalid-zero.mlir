// RUN: partopt-opt %s --partopt-apply-data-parallel="zero-stage=1 name=zero1 replica-axis=replica" -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{strategy zero1 splits the batch over mesh axis "replica", which the mesh does not have (it is data=2); give it with --mesh replica=N, or name another axis with --axis replica=NAME}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["replica"=2, "data"=2]>
// expected-error@+1 {{strategy zero1 stores optimizer state in shards, but no argument has a role that it shards ('opt') and a dimension of at least 2; name them with --arg-role 'REGEX=opt', or use --strategy zero3 or ddp}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}, %w: tensor<4xf32> {partopt.role = "param"}, %m: tensor<1xf32> {partopt.role = "opt"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["replica"=2, "data"=4]>
// expected-error@+1 {{argument 0 (x) has 4 rows, fewer than the 8 devices of axis "replica" and "data"; use at most 4 devices on these axes together, export with a larger batch}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch", partopt.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
