// RUN: partopt-opt %s --partopt-verify-partitioned -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["x"=4]>
func.func @left(%a: tensor<8xf32> {partopt.global_type = tensor<8xf32>}) -> (tensor<8xf32> {partopt.global_type = tensor<8xf32>}) {
  // expected-error@+1 {{is left after partitioning}}
  %r = sdy.reshard %a <@mesh, [{}]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// expected-error@+1 {{argument 0 has no partopt.global_type}}
func.func @no_global_type(%a: tensor<8xf32>) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{argument 0 has type 'tensor<8xf32>', but 'tensor<8xf32>' sharded like this is 'tensor<2xf32>' on one device}}
func.func @not_local(%a: tensor<8xf32> {partopt.global_type = tensor<8xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}

// -----

func.func private @f()
func.func @call() {
  // expected-error@+1 {{is left after partitioning; calls are inlined on import}}
  func.call @f() : () -> ()
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @sharding(%a: tensor<8xf32> {partopt.global_type = tensor<8xf32>}) {
  // expected-error@+1 {{still has a sharding after partitioning}}
  %r = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return
}
