// Rows of a table that is split by rows: 1000 of them on all devices together.
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(
      %table: tensor<1000x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %rows: tensor<256x1xi32>, %count: tensor<256xi32>)
      -> (tensor<256x2xf32>, tensor<256x1xi32>, tensor<256xi32>) {
    %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<1000x2xf32>, tensor<256x1xi32>) -> tensor<256x2xf32>
    return %0, %rows, %count : tensor<256x2xf32>, tensor<256x1xi32>, tensor<256xi32>
  }
}
