// Gathers and scatters with dimension numbers drawn at random (random_indexing in
// test/Codegen/kernel_cases.py): batching, collapsed, indexed and free dimensions
// in every order, several inputs, reducers of every kind.
func.func @gather_random_0(%a0: tensor<1x3x4xui64>, %a1: tensor<1x3x1xi32>) -> (tensor<1x3x1xui64>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<1x3x4xui64>, tensor<1x3x1xi32>) -> tensor<1x3x1xui64>
  return %r : tensor<1x3x1xui64>
}
func.func @scatter_random_0(%a0: tensor<1x3x4xi32>, %a1: tensor<1x3x4xi32>, %a2: tensor<1x3x1xi32>, %a3: tensor<1x3x1xi32>, %a4: tensor<1x3x1xi32>) -> (tensor<1x3x4xi32>, tensor<1x3x4xi32>) attributes {op = "stablehlo.scatter"} {
  %r:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [1], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>, %y0: tensor<i32>, %y1: tensor<i32>):
  %z1 = stablehlo.maximum %x1, %y1 : tensor<i32>
  stablehlo.return %x0, %z1 : tensor<i32>, tensor<i32>
  }) : (tensor<1x3x4xi32>, tensor<1x3x4xi32>, tensor<1x3x1xi32>, tensor<1x3x1xi32>, tensor<1x3x1xi32>) -> (tensor<1x3x4xi32>, tensor<1x3x4xi32>)
  return %r#0, %r#1 : tensor<1x3x4xi32>, tensor<1x3x4xi32>
}
func.func @gather_random_1(%a0: tensor<1x3x1xi1>, %a1: tensor<1x1xi8>) -> (tensor<1xi1>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<1x3x1xi1>, tensor<1x1xi8>) -> tensor<1xi1>
  return %r : tensor<1xi1>
}
func.func @scatter_random_1(%a0: tensor<1x3x1xbf16>, %a1: tensor<1x3x1xui8>, %a2: tensor<1x3x1xf32>, %a3: tensor<1x1xi8>, %a4: tensor<1xbf16>, %a5: tensor<1xui8>, %a6: tensor<1xf32>) -> (tensor<1x3x1xbf16>, tensor<1x3x1xui8>, tensor<1x3x1xf32>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1, 2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<bf16>, %x1: tensor<ui8>, %x2: tensor<f32>, %y0: tensor<bf16>, %y1: tensor<ui8>, %y2: tensor<f32>):
  %z1 = stablehlo.add %x1, %y1 : tensor<ui8>
  %z2 = stablehlo.maximum %x2, %y2 : tensor<f32>
  stablehlo.return %y0, %z1, %z2 : tensor<bf16>, tensor<ui8>, tensor<f32>
  }) : (tensor<1x3x1xbf16>, tensor<1x3x1xui8>, tensor<1x3x1xf32>, tensor<1x1xi8>, tensor<1xbf16>, tensor<1xui8>, tensor<1xf32>) -> (tensor<1x3x1xbf16>, tensor<1x3x1xui8>, tensor<1x3x1xf32>)
  return %r#0, %r#1, %r#2 : tensor<1x3x1xbf16>, tensor<1x3x1xui8>, tensor<1x3x1xf32>
}
func.func @gather_random_2(%a0: tensor<1xbf16>, %a1: tensor<1xui32>) -> (tensor<bf16>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<1xbf16>, tensor<1xui32>) -> tensor<bf16>
  return %r : tensor<bf16>
}
func.func @scatter_random_2(%a0: tensor<1xbf16>, %a1: tensor<1xi1>, %a2: tensor<1xui8>, %a3: tensor<1xui32>, %a4: tensor<bf16>, %a5: tensor<i1>, %a6: tensor<ui8>) -> (tensor<1xbf16>, tensor<1xi1>, tensor<1xui8>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<bf16>, %x1: tensor<i1>, %x2: tensor<ui8>, %y0: tensor<bf16>, %y1: tensor<i1>, %y2: tensor<ui8>):
  %z1 = stablehlo.minimum %x1, %y1 : tensor<i1>
  stablehlo.return %y0, %z1, %y2 : tensor<bf16>, tensor<i1>, tensor<ui8>
  }) : (tensor<1xbf16>, tensor<1xi1>, tensor<1xui8>, tensor<1xui32>, tensor<bf16>, tensor<i1>, tensor<ui8>) -> (tensor<1xbf16>, tensor<1xi1>, tensor<1xui8>)
  return %r#0, %r#1, %r#2 : tensor<1xbf16>, tensor<1xi1>, tensor<1xui8>
}
func.func @gather_random_3(%a0: tensor<2x3x4xui32>, %a1: tensor<0xi32>) -> (tensor<2x2x2xui32>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [], index_vector_dim = 0>, slice_sizes = array<i64: 2, 2, 2>, indices_are_sorted = true}> : (tensor<2x3x4xui32>, tensor<0xi32>) -> tensor<2x2x2xui32>
  return %r : tensor<2x2x2xui32>
}
func.func @scatter_random_3(%a0: tensor<2x3x4xf32>, %a1: tensor<0xi32>, %a2: tensor<2x2x2xf32>) -> (tensor<2x3x4xf32>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1, 2], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<f32>, %y0: tensor<f32>):
  stablehlo.return %y0 : tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<0xi32>, tensor<2x2x2xf32>) -> (tensor<2x3x4xf32>)
  return %r#0 : tensor<2x3x4xf32>
}
func.func @gather_random_4(%a0: tensor<1x4xi1>, %a1: tensor<0xi8>) -> (tensor<1xi1>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = true}> : (tensor<1x4xi1>, tensor<0xi8>) -> tensor<1xi1>
  return %r : tensor<1xi1>
}
func.func @scatter_random_4(%a0: tensor<1x4xi1>, %a1: tensor<0xi8>, %a2: tensor<1xi1>) -> (tensor<1x4xi1>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<i1>, %y0: tensor<i1>):
  stablehlo.return %y0 : tensor<i1>
  }) : (tensor<1x4xi1>, tensor<0xi8>, tensor<1xi1>) -> (tensor<1x4xi1>)
  return %r#0 : tensor<1x4xi1>
}
func.func @gather_random_5(%a0: tensor<3x1x4x2xbf16>, %a1: tensor<1x2x3xui32>) -> (tensor<2x1x3x4xbf16>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [], operand_batching_dims = [0, 3], start_indices_batching_dims = [2, 1], start_index_map = [2], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1, 4, 1>, indices_are_sorted = false}> : (tensor<3x1x4x2xbf16>, tensor<1x2x3xui32>) -> tensor<2x1x3x4xbf16>
  return %r : tensor<2x1x3x4xbf16>
}
func.func @scatter_random_5(%a0: tensor<3x1x4x2xi32>, %a1: tensor<1x2x3xui32>, %a2: tensor<2x1x3x4xi32>) -> (tensor<3x1x4x2xi32>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 3], inserted_window_dims = [], input_batching_dims = [0, 3], scatter_indices_batching_dims = [2, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<i32>, %y0: tensor<i32>):
  %z0 = stablehlo.multiply %x0, %y0 : tensor<i32>
  stablehlo.return %z0 : tensor<i32>
  }) : (tensor<3x1x4x2xi32>, tensor<1x2x3xui32>, tensor<2x1x3x4xi32>) -> (tensor<3x1x4x2xi32>)
  return %r#0 : tensor<3x1x4x2xi32>
}
func.func @gather_random_6(%a0: tensor<4x3x1xui8>, %a1: tensor<2x1x4xui8>) -> (tensor<2x1x4xui8>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [2, 1], start_index_map = [1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<4x3x1xui8>, tensor<2x1x4xui8>) -> tensor<2x1x4xui8>
  return %r : tensor<2x1x4xui8>
}
func.func @scatter_random_6(%a0: tensor<4x3x1xi1>, %a1: tensor<4x3x1xi32>, %a2: tensor<4x3x1xbf16>, %a3: tensor<2x1x4xui8>, %a4: tensor<2x1x4xi1>, %a5: tensor<2x1x4xi32>, %a6: tensor<2x1x4xbf16>) -> (tensor<4x3x1xi1>, tensor<4x3x1xi32>, tensor<4x3x1xbf16>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [2, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 3>}> ({
  ^bb0(%x0: tensor<i1>, %x1: tensor<i32>, %x2: tensor<bf16>, %y0: tensor<i1>, %y1: tensor<i32>, %y2: tensor<bf16>):
  %z0 = stablehlo.maximum %x0, %y0 : tensor<i1>
  %z1 = stablehlo.add %x1, %y1 : tensor<i32>
  %z2 = stablehlo.maximum %x2, %y2 : tensor<bf16>
  stablehlo.return %z0, %z1, %z2 : tensor<i1>, tensor<i32>, tensor<bf16>
  }) : (tensor<4x3x1xi1>, tensor<4x3x1xi32>, tensor<4x3x1xbf16>, tensor<2x1x4xui8>, tensor<2x1x4xi1>, tensor<2x1x4xi32>, tensor<2x1x4xbf16>) -> (tensor<4x3x1xi1>, tensor<4x3x1xi32>, tensor<4x3x1xbf16>)
  return %r#0, %r#1, %r#2 : tensor<4x3x1xi1>, tensor<4x3x1xi32>, tensor<4x3x1xbf16>
}
func.func @scatter_random_7(%a0: tensor<4x1xbf16>, %a1: tensor<4x1xi32>, %a2: tensor<4x1xi1>, %a3: tensor<1x4xi16>, %a4: tensor<1x4xbf16>, %a5: tensor<1x4xi32>, %a6: tensor<1x4xi1>) -> (tensor<4x1xbf16>, tensor<4x1xi32>, tensor<4x1xi1>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<bf16>, %x1: tensor<i32>, %x2: tensor<i1>, %y0: tensor<bf16>, %y1: tensor<i32>, %y2: tensor<i1>):
  %z0 = stablehlo.add %x0, %y0 : tensor<bf16>
  %z1 = stablehlo.multiply %x1, %y1 : tensor<i32>
  stablehlo.return %z0, %z1, %x2 : tensor<bf16>, tensor<i32>, tensor<i1>
  }) : (tensor<4x1xbf16>, tensor<4x1xi32>, tensor<4x1xi1>, tensor<1x4xi16>, tensor<1x4xbf16>, tensor<1x4xi32>, tensor<1x4xi1>) -> (tensor<4x1xbf16>, tensor<4x1xi32>, tensor<4x1xi1>)
  return %r#0, %r#1, %r#2 : tensor<4x1xbf16>, tensor<4x1xi32>, tensor<4x1xi1>
}
func.func @gather_random_8(%a0: tensor<4x2xi64>, %a1: tensor<2xui64>) -> (tensor<2x1xi64>) attributes {op = "stablehlo.gather"} {
  %r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 2, 1>, indices_are_sorted = false}> : (tensor<4x2xi64>, tensor<2xui64>) -> tensor<2x1xi64>
  return %r : tensor<2x1xi64>
}
func.func @scatter_random_8(%a0: tensor<4x2xbf16>, %a1: tensor<4x2xi1>, %a2: tensor<2xui64>, %a3: tensor<2x1xbf16>, %a4: tensor<2x1xi1>) -> (tensor<4x2xbf16>, tensor<4x2xi1>) attributes {op = "stablehlo.scatter"} {
  %r:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<bf16>, %x1: tensor<i1>, %y0: tensor<bf16>, %y1: tensor<i1>):
  %z0 = stablehlo.multiply %x0, %y0 : tensor<bf16>
  %z1 = stablehlo.minimum %x1, %y1 : tensor<i1>
  stablehlo.return %z0, %z1 : tensor<bf16>, tensor<i1>
  }) : (tensor<4x2xbf16>, tensor<4x2xi1>, tensor<2xui64>, tensor<2x1xbf16>, tensor<2x1xi1>) -> (tensor<4x2xbf16>, tensor<4x2xi1>)
  return %r#0, %r#1 : tensor<4x2xbf16>, tensor<4x2xi1>
}
func.func @scatter_random_9(%a0: tensor<3x3x2x2xbf16>, %a1: tensor<3x3x2x2xf32>, %a2: tensor<3x3x2x2xf32>, %a3: tensor<3x0xui64>, %a4: tensor<2x3xbf16>, %a5: tensor<2x3xf32>, %a6: tensor<2x3xf32>) -> (tensor<3x3x2x2xbf16>, tensor<3x3x2x2xf32>, tensor<3x3x2x2xf32>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<bf16>, %x1: tensor<f32>, %x2: tensor<f32>, %y0: tensor<bf16>, %y1: tensor<f32>, %y2: tensor<f32>):
  %z0 = stablehlo.multiply %x0, %y0 : tensor<bf16>
  %z1 = stablehlo.add %x1, %y1 : tensor<f32>
  %z2 = stablehlo.add %x2, %y2 : tensor<f32>
  stablehlo.return %z0, %z1, %z2 : tensor<bf16>, tensor<f32>, tensor<f32>
  }) : (tensor<3x3x2x2xbf16>, tensor<3x3x2x2xf32>, tensor<3x3x2x2xf32>, tensor<3x0xui64>, tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<3x3x2x2xbf16>, tensor<3x3x2x2xf32>, tensor<3x3x2x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<3x3x2x2xbf16>, tensor<3x3x2x2xf32>, tensor<3x3x2x2xf32>
}
func.func @scatter_random_10(%a0: tensor<4x4x1xui8>, %a1: tensor<4x4x1xi32>, %a2: tensor<4x4x1xbf16>, %a3: tensor<4x0x4xi64>, %a4: tensor<4x4xui8>, %a5: tensor<4x4xi32>, %a6: tensor<4x4xbf16>) -> (tensor<4x4x1xui8>, tensor<4x4x1xi32>, tensor<4x4x1xbf16>) attributes {op = "stablehlo.scatter"} {
  %r:3 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4, %a5, %a6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 2], scatter_dims_to_operand_dims = [], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<ui8>, %x1: tensor<i32>, %x2: tensor<bf16>, %y0: tensor<ui8>, %y1: tensor<i32>, %y2: tensor<bf16>):
  %z0 = stablehlo.multiply %x0, %y0 : tensor<ui8>
  %z2 = stablehlo.maximum %x2, %y2 : tensor<bf16>
  stablehlo.return %z0, %y1, %z2 : tensor<ui8>, tensor<i32>, tensor<bf16>
  }) : (tensor<4x4x1xui8>, tensor<4x4x1xi32>, tensor<4x4x1xbf16>, tensor<4x0x4xi64>, tensor<4x4xui8>, tensor<4x4xi32>, tensor<4x4xbf16>) -> (tensor<4x4x1xui8>, tensor<4x4x1xi32>, tensor<4x4x1xbf16>)
  return %r#0, %r#1, %r#2 : tensor<4x4x1xui8>, tensor<4x4x1xi32>, tensor<4x4x1xbf16>
}
func.func @scatter_random_11(%a0: tensor<4x4x2x2xf32>, %a1: tensor<3x2x3xi8>, %a2: tensor<1x3x2x2xf32>) -> (tensor<4x4x2x2xf32>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], inserted_window_dims = [0], input_batching_dims = [3], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1, 0, 2], index_vector_dim = 2>}> ({
  ^bb0(%x0: tensor<f32>, %y0: tensor<f32>):
  %z0 = stablehlo.multiply %x0, %y0 : tensor<f32>
  stablehlo.return %z0 : tensor<f32>
  }) : (tensor<4x4x2x2xf32>, tensor<3x2x3xi8>, tensor<1x3x2x2xf32>) -> (tensor<4x4x2x2xf32>)
  return %r#0 : tensor<4x4x2x2xf32>
}
func.func @scatter_random_12(%a0: tensor<3x2x4xi32>, %a1: tensor<1x3xui16>, %a2: tensor<3x1xi32>) -> (tensor<3x2x4xi32>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2], index_vector_dim = 0>}> ({
  ^bb0(%x0: tensor<i32>, %y0: tensor<i32>):
  stablehlo.return %y0 : tensor<i32>
  }) : (tensor<3x2x4xi32>, tensor<1x3xui16>, tensor<3x1xi32>) -> (tensor<3x2x4xi32>)
  return %r#0 : tensor<3x2x4xi32>
}
func.func @scatter_random_13(%a0: tensor<2x2x2xi1>, %a1: tensor<2x0xui32>, %a2: tensor<2xi1>) -> (tensor<2x2x2xi1>) attributes {op = "stablehlo.scatter"} {
  %r:1 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [], index_vector_dim = 1>}> ({
  ^bb0(%x0: tensor<i1>, %y0: tensor<i1>):
  %z0 = stablehlo.add %x0, %y0 : tensor<i1>
  stablehlo.return %z0 : tensor<i1>
  }) : (tensor<2x2x2xi1>, tensor<2x0xui32>, tensor<2xi1>) -> (tensor<2x2x2xi1>)
  return %r#0 : tensor<2x2x2xi1>
}
