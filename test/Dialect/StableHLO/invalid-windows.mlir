// Windows, sorts and maps that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{window_dimensions = [2] has 1 entries, but the window has rank 2}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{window_dimensions = [2, 0] must be positive}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{results must have types ('tensor<7x4xf32>'), but have types ('tensor<7x5xf32>')}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<7x5xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{results must have types ('tensor<0x4xf32>'), but have types ('tensor<7x4xf32>')}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 9, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{padding must have shape [2, 2], but has shape [2]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<0> : tensor<2xi64>, window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<7x4xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f64>) {
  // expected-error @+1 {{initial value must have type 'tensor<f32>', but has type 'tensor<f64>'}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f64>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) {
  // expected-error @+1 {{source must have type 'tensor<7xf32>', but has type 'tensor<4xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) {
  // expected-error @+1 {{result must have type 'tensor<8xf32>', but has type 'tensor<4xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{needs one input or more}}
  "stablehlo.sort"() ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{dimension = 1 is not within [-1, 1) for inputs of type 'tensor<8xf32>'}}
  %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{the arguments of region 'comparator' must have types ('tensor<f32>', 'tensor<f32>'), but have types ('tensor<f32>')}}
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>):
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{results must have types ('tensor<8xf32>'), but have types ('tensor<9xf32>')}}
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>, %arg1: tensor<9xf32>) {
  // expected-error @+1 {{input 1 of type 'tensor<9xf32>' must have the shape of input 0 of type 'tensor<8xf32>'}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>, tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>)
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{needs one input or more}}
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : () -> tensor<i1>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{dimensions = [1] must be all 1 dimensions in ascending order}}
  %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{needs the same shape for all operands and results, but operand #0 has type 'tensor<8xf32>' and result #0 has type 'tensor<9xf32>'}}
  %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8xf32>) {
  // expected-error @+1 {{the arguments of region 'computation' must have types ('tensor<f32>'), but have types ('tensor<f32>', 'tensor<f32>')}}
  %0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
