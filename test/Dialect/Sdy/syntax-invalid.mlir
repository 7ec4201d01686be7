// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// Text that is not a mesh, a sharding or a rule.

// expected-error@+1 {{expected axis name as a string}}
sdy.mesh @mesh = <[x=2]>

// -----

// expected-error@+1 {{size of mesh axis "x" must be at least 1, got 0}}
sdy.mesh @mesh = <["x"=0]>

// -----

// expected-error@+1 {{mesh has two axes named "x"}}
sdy.mesh @mesh = <["x"=2, "x"=4]>

// -----

// expected-error@+1 {{mesh has more devices than fit in 64 bits}}
sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296]>

// -----

// expected-error@+1 {{mesh has 4 devices but device_ids has 3 entries}}
sdy.mesh @mesh = <["x"=4], device_ids=[0, 1, 2]>

// -----

// expected-error@+1 {{device_ids must be a permutation of 0 to 1, but 2 is out of range}}
sdy.mesh @mesh = <["x"=2], device_ids=[2, 0]>

// -----

// expected-error@+1 {{device_ids must be a permutation of 0 to 1, but 1 occurs twice}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

// expected-error@+1 {{device id must not be negative, got -1}}
sdy.mesh @mesh = <[], device_ids=[-1]>

// -----

// expected-error@+1 {{'?' must come last in a dimension sharding}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?, "x"}]>})

// -----

// expected-error@+1 {{expected a priority such as p1, without leading zeros, got 'p01'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p01]>})

// -----

// expected-error@+1 {{expected a priority such as p1, without leading zeros, got 'q1'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}q1]>})

// -----

// expected-error@+1 {{expected a mesh: '@name' or 'mesh<...>'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<"mesh", [{"x"}]>})

// -----

// expected-error@+1 {{expected 'replicated' or 'unreduced', got 'reduced'}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], reduced={"x"}>})

// -----

// expected-error@+1 {{'replicated' is given twice}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}, replicated={"y"}>})

// -----

// expected-error@+1 {{unknown combiner 'mean' of unreduced axes, expected sum, max or min}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=mean{"x"}>})

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{unknown combiner 'mean', expected sum, max or min}}
  %0 = sdy.all_reduce mean {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{expected factors i to z, z_1, z_2, ..., got 'a'}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([a])->([a]) {i=8}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{expected factors i to z, z_1, z_2, ..., got 'z_0'}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([z_0])->([z_0]) {i=8}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{factor sizes must be listed in order: expected i, got j}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {j=8}>} : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{expected one factor}}
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} reduction={ij}>} : tensor<8xf32>
  return
}
