// Scatters that do not verify; the table of indices is checked as for a gather.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<4x1xi32>) {
  // expected-error @+1 {{needs one input or more}}
  "stablehlo.scatter"(%arg0) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1>}> ({
    stablehlo.return
  }) : (tensor<4x1xi32>) -> ()
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf32>) {
  // expected-error @+1 {{scatter_dims_to_operand_dims = [0, 1] has 2 entries, but an index has 1 components (dimension 1 of 'tensor<4x1xi32>')}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf32>) {
  // expected-error @+1 {{dimension 2 in update_window_dims = [2] is not below the rank 2}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x17xf32>) {
  // expected-error @+1 {{dimension 1 of the updates 'tensor<4x17xf32>' must be at most 16 to fit into 'tensor<8x16xf32>'}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x17xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<5x16xf32>) {
  // expected-error @+1 {{update 0 must have type 'tensor<4x16xf32>', but has type 'tensor<5x16xf32>'}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<5x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf64>) {
  // expected-error @+1 {{update 0 must have type 'tensor<4x16xf32>', but has type 'tensor<4x16xf64>'}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x16xf64>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf32>) {
  // expected-error @+1 {{the arguments of region 'update_computation' must have types ('tensor<f32>', 'tensor<f32>'), but have types ('tensor<f64>', 'tensor<f64>')}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf32>) {
  // expected-error @+1 {{results must have types ('tensor<8x16xf32>'), but have types ('tensor<8x17xf32>')}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x1xi32>, tensor<4x16xf32>) -> tensor<8x17xf32>
  return
}

// -----

func.func @case(%arg0: tensor<8x16xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x16xf32>, %arg3: tensor<9x16xf32>) {
  // expected-error @+1 {{input 1 of type 'tensor<9x16xf32>' must have the shape of input 0 of type 'tensor<8x16xf32>'}}
  %0:2 = "stablehlo.scatter"(%arg0, %arg3, %arg1, %arg2, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<8x16xf32>, tensor<9x16xf32>, tensor<4x1xi32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<8x16xf32>, tensor<9x16xf32>)
  return
}
