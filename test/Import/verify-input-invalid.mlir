// RUN: partopt-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -partopt-verify-input

// What the compiler has no way for is refused at its source.

// expected-error@+1 {{the module has no function @main; --entry can be one of: @step, @init}}
module {
  func.func @step() {
    return
  }
  func.func @init() {
    return
  }
  func.func private @helper() {
    return
  }
}

// -----

// expected-error@+1 {{the module has no function @main}}
module {
}

// -----

// expected-error@+1 {{the entry has no body}}
func.func private @main(tensor<4xf32>)

// -----

// expected-error@+1 {{the entry has 2 blocks, but control flow between blocks is not supported}}
func.func @main() {
  "test.branch"()[^next] : () -> ()
^next:
  return
}

// -----

// expected-note@+1 {{the other mesh}}
sdy.mesh @a = <["x"=2]>
// expected-error@+1 {{mesh @b has 4 devices, but mesh @a has 2}}
sdy.mesh @b = <["x"=4]>
func.func @main() {
  return
}

// -----

// expected-error@+1 {{argument 0 has the dynamic shape 'tensor<?xf32>'; export the model with concrete sizes}}
func.func @main(%arg0: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 has the type '!stablehlo.token', but only tensors are supported}}
func.func @main(%arg0: !stablehlo.token) {
  return
}

// -----

// Every refusal is shown at once.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.manual_computation' op cannot be compiled: manual computations (shard_map) are not supported yet; export the model with sharding annotations only}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'sdy.named_computation' op cannot be compiled: named computations are not supported}}
  %1 = sdy.named_computation<"f">(%arg0) (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'stablehlo.custom_call' op cannot be compiled: custom call @callback is not supported; replace it by operations of the model}}
  %2 = stablehlo.custom_call @callback(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Functions that the entry calls are looked at too.
func.func @main(%arg0: tensor<8xf32>) {
  call @helper() : () -> ()
  return
}
func.func private @helper() {
  // expected-error@+1 {{'stablehlo.partition_id' op cannot be compiled: a collective written by the user belongs into a manual computation, which is not supported yet; export the model before shard_map}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return
}

// -----

// Of collectives, those that only concern device 0 can be compiled.
func.func @main(%arg0: tensor<8xf32>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<> : tensor<0x1xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'stablehlo.collective_permute' op cannot be compiled: it names device 1, but the program is one for a single device; a collective written by the user belongs into a manual computation, which is not supported yet; export the model before shard_map}}
  %2 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'stablehlo.collective_permute' op cannot be compiled: it names device 3}}
  %3 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[3, 0]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'stablehlo.collective_broadcast' op cannot be compiled: it names device 2}}
  %4 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'stablehlo.all_gather' op cannot be compiled: a collective written by the user}}
  %5 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Sizes that no machine holds are refused before any arithmetic on them.
// expected-error@+1 {{'func.func' op argument 0 of type 'tensor<4294967296x4294967296x4xf32>' has more than 72057594037927936 elements}}
func.func @main(%arg0: tensor<4294967296x4294967296x4xf32>) {
  return
}

// -----

// expected-error@+1 {{mesh @mesh has more than 1048576 devices}}
sdy.mesh @mesh = <["x"=1000000, "y"=1000000]>
func.func @main(%arg0: tensor<8xf32>) {
  return
}

// -----

// expected-error@+1 {{mesh @mesh is a single device; values cannot be placed on one device of several yet}}
sdy.mesh @mesh = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32>) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 0 has the sharding #sdy.sharding<@mesh, [{}], unreduced={"x"}>, but arguments and results cannot be unreduced; drop the unreduced axes}}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{result 0 has the sharding}}
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %arg0 : tensor<8xf32>
}
