// RUN: partopt-opt %s -split-input-file -verify-diagnostics

// Constraints, edges, barriers and regions that do not hold together.

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{unknown mesh @mesh}}
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{unknown axis "y"}}
  %0 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{cannot allow BOTH directions: it would block nothing}}
  %0 = sdy.propagation_barrier %arg0 allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'sdy.mesh' op expects parent op 'builtin.module'}}
  sdy.mesh @mesh = <["x"=2]>
  return
}

// -----

func.func @f(%arg0: tensor<?xf32>) {
  // expected-error@+1 {{needs a static shape, got 'tensor<?xf32>'}}
  %0 = sdy.data_flow_edge %arg0 : tensor<?xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{must be the only user of its operand, which has 2 uses}}
  %0 = sdy.data_flow_edge %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %arg0 : tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-note@+1 {{defined here}}
  %0 = sdy.constant dense<0.0> : tensor<8xf32>
  // expected-error@+1 {{operand must not come from 'sdy.constant'}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  // expected-error@+1 {{operand must be a function's argument or a call's result}}
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: the type 'tensor<8xf32>' sharded as #sdy.sharding<@mesh, [{"x"}]> is 'tensor<4xf32>' inside, but the region has 'tensor<8xf32>'}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 operands outside but 0 inside}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} () {
    %1 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has 0 shardings for 1 operands}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<7xf32>) {
  // expected-error@+1 {{operand 0: dimension 0 of size 7 is not divisible by its manual axes of size 2}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<7xf32>) -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: dimension 0 has the manual axis "x" after the free axis "y"}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has shardings on two meshes: #sdy.mesh<["x"=2]> and #sdy.mesh<["x"=4]>}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@a, [{"x"}]>] out_shardings=[<@b, [{}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{manual axis "y" is not an axis of the mesh #sdy.mesh<["x"=2]>}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"y"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{has manual axes and a body but no shardings}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"x"} () {
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-note@+1 {{bound here}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error@+1 {{manual axis "x" is bound by a surrounding sdy.manual_computation already}}
    %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
      sdy.return %b : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%arg0: tensor<8xf32>) {
  // expected-note@+1 {{bound here}}
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error@+1 {{axis "x" is bound by a surrounding sdy.manual_computation}}
    %1 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0 has the type 'tensor<8xf32>' outside but 'tensor<4xf32>' inside}}
  %0 = sdy.named_computation<"f">(%arg0) (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 results outside but 0 inside}}
  %0 = sdy.named_computation<"f">(%arg0) (%a: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{operand 0: unknown mesh @mesh}}
  %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{}]>] (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%arg0: tensor<8xf32>) {
  // expected-error@+1 {{result 0: unknown mesh @mesh}}
  %0 = sdy.named_computation<"f">(%arg0) out_shardings=[<@mesh, [{}]>] (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
