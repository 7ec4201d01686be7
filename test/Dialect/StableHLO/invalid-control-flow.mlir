// Loops, branches and calls that do not verify or do not parse.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{the arguments of region 'cond' must have types ('tensor<8xf32>'), but have types ('tensor<9xf32>')}}
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: tensor<9xf32>):
    stablehlo.return %arg1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{the arguments of region 'body' must have types ('tensor<8xf32>'), but have types ('tensor<9xf32>')}}
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %arg1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<9xf32>):
    stablehlo.return %a : tensor<9xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{results must have types ('tensor<8xf32>'), but have types ('tensor<9xf32>')}}
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %arg1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %a : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{the arguments of region 'true_branch' must have types (), but have types ('tensor<8xf32>')}}
  %0 = "stablehlo.if"(%arg1) ({
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %arg0 : tensor<8xf32>
  }, {
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{the arguments of region 'false_branch' must have types (), but have types ('tensor<8xf32>')}}
  %0 = "stablehlo.if"(%arg1) ({
    stablehlo.return %arg0 : tensor<8xf32>
  }, {
  ^bb0(%a: tensor<8xf32>):
    stablehlo.return %arg0 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<i32>) {
  // expected-error @+1 {{needs one branch or more}}
  "stablehlo.case"(%arg0) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case(%arg0: tensor<i64>) {
  // expected-error @+1 {{index must have type 'tensor<i32>', but has type 'tensor<i64>'}}
  "stablehlo.case"(%arg0) ({
    stablehlo.return
  }) : (tensor<i64>) -> ()
  return
}

// -----

func.func @case(%arg0: tensor<i32>) {
  // expected-error @+1 {{the arguments of region 'branch 1' must have types (), but have types ('tensor<f32>')}}
  "stablehlo.case"(%arg0) ({
    stablehlo.return
  }, {
  ^bb0(%a: tensor<f32>):
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{results must have types ('tensor<8xf32>'), but have types ('tensor<9xf32>')}}
  %0 = stablehlo.optimization_barrier %arg0 : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{decomposition @absent is not a function of this module}}
  %0 = stablehlo.composite "a.b" %arg0 {decomposition = @absent} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<i1>) {
  // expected-error @+1 {{attribute 'api_version' failed to satisfy constraint: Calling convention of a custom call}}
  %0 = stablehlo.custom_call @f(%arg0) {api_version = 9 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @composite(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{has type '(tensor<8xf32>) -> tensor<8xf32>', but its decomposition @silu has type '(tensor<9xf32>) -> tensor<9xf32>'}}
  %0 = stablehlo.composite "a.silu" %arg0 {decomposition = @silu} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// expected-note @+1 {{the decomposition is here}}
func.func private @silu(tensor<9xf32>) -> tensor<9xf32>
