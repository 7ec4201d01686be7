// Gathers that do not verify.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{index_vector_dim = 4 is not within [0, 3] for the indices 'tensor<4x5x1xi32>'}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{start_index_map = [1, 2] has 2 entries, but an index has 1 components (dimension 2 of 'tensor<4x5x1xi32>')}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 3 in start_index_map = [3] is not below the rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 3 in collapsed_slice_dims = [3] is not below the rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [3], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{collapsed_slice_dims = [2, 1] must be in ascending order}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2, 1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 3 in operand_batching_dims = [3] is not below the rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{operand_batching_dims = [2, 0] must be in ascending order}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [2, 0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 3 in start_indices_batching_dims = [3] is not below the rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{operand_batching_dims = [0] and start_indices_batching_dims = [0, 1] must have as many entries}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0, 1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{start_indices_batching_dims = [2] must not hold index_vector_dim = 2}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{batching dimension 0 of the operand 'tensor<4x6x8xf32>' and 1 of the indices 'tensor<4x5x1xi32>' must have the same size}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 0 is both in collapsed_slice_dims = [0] and in operand_batching_dims = [0]}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 0 is both in start_index_map = [0] and in operand_batching_dims = [0]}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{offset_dims = [2, 1] must be in ascending order}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{offset_dims = [], collapsed_slice_dims = [1] and operand_batching_dims = [0] must have one entry for each dimension of the operand 'tensor<4x6x8xf32>'}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{slice_sizes = [1, 8] has 2 entries, but the operand 'tensor<4x6x8xf32>' has rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{slice size 9 of dimension 2 of 'tensor<4x6x8xf32>' must be at most 8}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 9>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{slice size 2 of dimension 1 of 'tensor<4x6x8xf32>' must be at most 1}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{dimension 3 in offset_dims = [3] is not below the rank 3}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{result must have type 'tensor<4x5x8xf32>', but has type 'tensor<4x5x7xf32>'}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x7xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{unknown field 'offset'; one of 'offset_dims', 'collapsed_slice_dims', 'operand_batching_dims', 'start_indices_batching_dims', 'start_index_map', 'index_vector_dim'}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset = [1], offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}

// -----

func.func @case(%arg0: tensor<4x6x8xf32>, %arg1: tensor<4x5x1xi32>) {
  // expected-error @+1 {{field 'index_vector_dim' is given twice}}
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<index_vector_dim = 2, offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<4x6x8xf32>, tensor<4x5x1xi32>) -> tensor<4x5x8xf32>
  return
}
