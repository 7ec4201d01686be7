// Movement, sums and products of complex numbers.
func.func @complex_iota(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.iota"} {
  %i = stablehlo.iota dim = 0 : tensor<6x5xcomplex<f32>>
  %0 = stablehlo.multiply %a, %i : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_transpose(%a: tensor<6x5xcomplex<f32>>) -> tensor<5x6xcomplex<f32>> attributes {op = "stablehlo.transpose"} {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x5xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  return %0 : tensor<5x6xcomplex<f32>>
}
func.func @complex_reshape(%a: tensor<6x5xcomplex<f32>>) -> tensor<5x6xcomplex<f32>> attributes {op = "stablehlo.reshape"} {
  %0 = stablehlo.reshape %a : (tensor<6x5xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  return %0 : tensor<5x6xcomplex<f32>>
}
func.func @complex_broadcast(%a: tensor<5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.broadcast_in_dim"} {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_reverse(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.reverse"} {
  %0 = stablehlo.reverse %a, dims = [0, 1] : tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_slice(%a: tensor<6x5xcomplex<f32>>) -> tensor<4x3xcomplex<f32>> attributes {op = "stablehlo.slice"} {
  %0 = stablehlo.slice %a [1:5, 0:5:2] : (tensor<6x5xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
  return %0 : tensor<4x3xcomplex<f32>>
}
func.func @complex_pad(%a: tensor<6x5xcomplex<f32>>) -> tensor<9x8xcomplex<f32>> attributes {op = "stablehlo.pad"} {
  %z = stablehlo.constant dense<(0.0, 1.0)> : tensor<complex<f32>>
  %0 = stablehlo.pad %a, %z, low = [1, 0], high = [2, 3], interior = [0, 0] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<9x8xcomplex<f32>>
  return %0 : tensor<9x8xcomplex<f32>>
}
func.func @complex_concatenate(%a: tensor<6x5xcomplex<f32>>, %b: tensor<6x5xcomplex<f32>>) -> tensor<12x5xcomplex<f32>> attributes {op = "stablehlo.concatenate"} {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<6x5xcomplex<f32>>, tensor<6x5xcomplex<f32>>) -> tensor<12x5xcomplex<f32>>
  return %0 : tensor<12x5xcomplex<f32>>
}
func.func @complex_reduce_add_f32(%a: tensor<6x5xcomplex<f32>>) -> tensor<5xcomplex<f32>> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
func.func @complex_reduce_add_f64(%a: tensor<6x5xcomplex<f64>>) -> tensor<5xcomplex<f64>> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x5xcomplex<f64>>, tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
  return %0 : tensor<5xcomplex<f64>>
}
func.func @complex_reduce_multiply_f32(%a: tensor<6x5xcomplex<f32>>) -> tensor<5xcomplex<f32>> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
func.func @complex_reduce_multiply_f64(%a: tensor<6x5xcomplex<f64>>) -> tensor<5xcomplex<f64>> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<6x5xcomplex<f64>>, tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
  return %0 : tensor<5xcomplex<f64>>
}
func.func @complex_reduce_odd_init(%a: tensor<6x5xcomplex<f32>>) -> tensor<6xcomplex<f32>> attributes {op = "stablehlo.reduce"} {
  %z = stablehlo.constant dense<(0.5, 0.25)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  return %0 : tensor<6xcomplex<f32>>
}
func.func @complex_dot(%a: tensor<6x5xcomplex<f32>>, %b: tensor<5x7xcomplex<f32>>) -> tensor<6x7xcomplex<f32>> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x5xcomplex<f32>>, tensor<5x7xcomplex<f32>>) -> tensor<6x7xcomplex<f32>>
  return %0 : tensor<6x7xcomplex<f32>>
}
func.func @complex_dot_batched_f64(%a: tensor<2x3x5xcomplex<f64>>, %b: tensor<2x5x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>> attributes {op = "stablehlo.dot_general"} {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x5xcomplex<f64>>, tensor<2x5x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  return %0 : tensor<2x3x4xcomplex<f64>>
}
func.func @complex_dynamic_slice(%a: tensor<6x5xcomplex<f32>>, %b: tensor<i32>) -> tensor<4x5xcomplex<f32>> attributes {op = "stablehlo.dynamic_slice"} {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %b, %zero, sizes = [4, 5] : (tensor<6x5xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x5xcomplex<f32>>
  return %0 : tensor<4x5xcomplex<f32>>
}
func.func @complex_dynamic_update_slice(%a: tensor<6x5xcomplex<f32>>, %b: tensor<4x5xcomplex<f32>>, %c: tensor<i32>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.dynamic_update_slice"} {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %b, %c, %zero : (tensor<6x5xcomplex<f32>>, tensor<4x5xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_gather(%a: tensor<6x5xcomplex<f32>>, %b: tensor<4x1xi32>) -> tensor<4x5xcomplex<f32>> attributes {op = "stablehlo.gather"} {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<6x5xcomplex<f32>>, tensor<4x1xi32>) -> tensor<4x5xcomplex<f32>>
  return %0 : tensor<4x5xcomplex<f32>>
}
func.func @complex_scatter(%a: tensor<6x5xcomplex<f32>>, %b: tensor<4x1xi32>, %c: tensor<4x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.scatter"} {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %z = stablehlo.add %x, %y : tensor<complex<f32>>
    stablehlo.return %z : tensor<complex<f32>>
  }) : (tensor<6x5xcomplex<f32>>, tensor<4x1xi32>, tensor<4x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_window(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.reduce_window"} {
  %i = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %z = stablehlo.add %x, %y : tensor<complex<f32>>
    stablehlo.return %z : tensor<complex<f32>>
  }) : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_cumulative_sum(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.reduce_window"} {
  %i = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 6, 1>, padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %z = stablehlo.add %x, %y : tensor<complex<f32>>
    stablehlo.return %z : tensor<complex<f32>>
  }) : (tensor<6x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_sort(%a: tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>> attributes {op = "stablehlo.sort"} {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %u = stablehlo.real %x : (tensor<complex<f32>>) -> tensor<f32>
    %v = stablehlo.real %y : (tensor<complex<f32>>) -> tensor<f32>
    %l = stablehlo.compare LT, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<6x5xcomplex<f32>>) -> tensor<6x5xcomplex<f32>>
  return %0 : tensor<6x5xcomplex<f32>>
}
func.func @complex_convolution(%a: tensor<4x7x2xcomplex<f32>>, %b: tensor<3x2x3xcomplex<f32>>) -> tensor<4x7x3xcomplex<f32>> attributes {op = "stablehlo.convolution"} {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x7x2xcomplex<f32>>, tensor<3x2x3xcomplex<f32>>) -> tensor<4x7x3xcomplex<f32>>
  return %0 : tensor<4x7x3xcomplex<f32>>
}
