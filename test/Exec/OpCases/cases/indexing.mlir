// Gather and scatter in the forms that embeddings and take_along_axis bring.
func.func @embedding(%t: tensor<6x5xf32>, %i: tensor<7x3x1xi32>) -> tensor<7x3x5xf32> attributes {op = "stablehlo.gather"} {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> : (tensor<6x5xf32>, tensor<7x3x1xi32>) -> tensor<7x3x5xf32>
  return %0 : tensor<7x3x5xf32>
}
func.func @take_along_axis(%t: tensor<6x5xf32>, %i: tensor<6x3x1xi32>) -> tensor<6x3xf32> attributes {op = "stablehlo.gather"} {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x5xf32>, tensor<6x3x1xi32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}
func.func @pairs(%t: tensor<6x5xf32>, %i: tensor<7x2xi32>) -> tensor<7xf32> attributes {op = "stablehlo.gather"} {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x5xf32>, tensor<7x2xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
func.func @embedding_gradient(%t: tensor<6x5xf32>, %i: tensor<7x3x1xi32>, %u: tensor<7x3x5xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.scatter"} {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<7x3x1xi32>, tensor<7x3x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
func.func @put_along_axis(%i: tensor<6x3x1xi32>, %u: tensor<6x3xf32>) -> tensor<6x5xf32> attributes {op = "stablehlo.scatter"} {
  %z = stablehlo.constant dense<0.0> : tensor<6x5xf32>
  %0 = "stablehlo.scatter"(%z, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x5xf32>, tensor<6x3x1xi32>, tensor<6x3xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
