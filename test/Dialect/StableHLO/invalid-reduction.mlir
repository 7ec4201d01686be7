// Reductions that do not verify or do not parse.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{dimension 2 in dimensions = [2] is not below the rank 2}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [2] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{dimension 0 is twice in dimensions = [0, 0]}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f64>) {
  // expected-error @+1 {{initial value 0 must have type 'tensor<f32>', but has type 'tensor<f64>'}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<f64>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{the arguments of region 'body' must have types ('tensor<f32>', 'tensor<f32>'), but have types ('tensor<f32>', 'tensor<f64>')}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f64>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{results must have types ('tensor<8xf32>'), but have types ('tensor<6xf32>')}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @case() {
  // expected-error @+1 {{needs one input or more}}
  "stablehlo.reduce"() <{dimensions = array<i64>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>, %arg2: tensor<8x7xf32>) {
  // expected-error @+1 {{input 1 of type 'tensor<8x7xf32>' must have the shape of input 0 of type 'tensor<8x6xf32>'}}
  %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg2 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<8x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    stablehlo.return %a, %c : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{region 'body' must end in a stablehlo.return}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "func.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{expected the name of a stablehlo op, but got 'arith.addf'}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies arith.addf across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{expected the types of 1 inputs and as many initial values, but got 1 types}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{'applies' needs one input that is a static tensor}}
  %0:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<8x6xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// The note leads to the return whose types are wrong.
func.func @returns(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // expected-error @+1 {{region 'body' must return types ('tensor<f32>'), but returns types ('tensor<f32>', 'tensor<f32>')}}
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    // expected-note @+1 {{it returns here}}
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @pairs(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
   // expected-error @+1 {{expected the left and the right value of input 0, but got 1 arguments}}
   reducer(%a: tensor<f32>)  {
    stablehlo.return %a : tensor<f32>
  }
  return
}
