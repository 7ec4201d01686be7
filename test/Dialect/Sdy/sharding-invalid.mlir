// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// Shardings that do not fit their value, their mesh or themselves.

// expected-error@+1 {{argument 0: unknown mesh @other, no sdy.mesh of the module has that name}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 1: sharding #sdy.sharding<@mesh, [{"x"}]> has 1 dimensions but the type 'tensor<8x8xf32>' has 2}}
func.func private @f(tensor<8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{result 0: unknown axis "y", the mesh #sdy.mesh<["x"=2]> has no axis of that name}}
func.func private @f() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 0: 'sdy.sharding' must be a #sdy.sharding, got "x"}}
func.func private @f(tensor<8xf32> {sdy.sharding = "x"})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{axis "x" is used twice}}
func.func private @f(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{axis "x" is used twice}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"x"}>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{axis "x" is used twice}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}, unreduced={"x"}>})

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{axes "x" and "x":(2)2 overlap}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"x":(2)2}>})

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{axes "x":(1)4 and "x":(2)4 overlap}}
func.func private @f(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}, {"x":(2)4}]>})

// -----

sdy.mesh @mesh = <["x"=12]>
// expected-error@+1 {{sub-axes "x":(1)2 and "x":(3)2 cannot come from one split of the axis}}
func.func private @f(tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(3)2}]>})

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{pre-size of sub-axis "x":(0)2 must be at least 1}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(0)2}]>})

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{size of sub-axis "x":(2)1 must be greater than 1}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)1}]>})

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{sub-axis "x":(2)4 does not divide axis "x" of size 4}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}]>})

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error@+1 {{sub-axis "x":(1)4 is the whole axis, write "x"}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}]>})

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{sub-axes "x":(1)2, "x":(2)2 must be written as one: "x":(1)4}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "x":(2)2}]>})

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{replicated axes {"y", "x"} must be in the order of the mesh #sdy.mesh<["x"=2, "y"=2]>}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y", "x"}>})

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{unreduced axes {"y", "x"} must be in the order of the mesh}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y", "x"}>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{dimension 0 is closed and empty but has the priority p1}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}p1]>})

// -----

sdy.mesh @maximal = <[], device_ids=[0]>
// expected-error@+1 {{a value on a single device must have a sharding of rank 0 without axes, got #sdy.sharding<@maximal, [{}]>}}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal, [{}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{a value that is not a tensor must have a sharding of rank 0 without axes}}
func.func private @f(index {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{only a tuple of one element can have a sharding, got 'tuple<tensor<8xf32>, tensor<8xf32>>'}}
func.func private @f(tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{only ranked tensors can have a sharding, got 'tensor<*xf32>'}}
func.func private @f(tensor<*xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.sharding' must be a #sdy.sharding_per_value, got #sdy.sharding<@mesh, [{"x"}]>}}
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has 2 shardings for 1 results}}
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{result 0: unknown axis "y"}}
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
  return
}
