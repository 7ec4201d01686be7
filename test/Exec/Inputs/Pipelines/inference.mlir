module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<16x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<24x16xf32>, %arg5: tensor<16x24xf32>, %arg6: tensor<24xf32>, %arg7: tensor<24x16xf32>, %arg8: tensor<16x24xf32>, %arg9: tensor<24xf32>, %arg10: tensor<24x16xf32>, %arg11: tensor<16x24xf32>, %arg12: tensor<24xf32>, %arg13: tensor<8x16xf32>) -> (tensor<8x8xf32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1]"}, tensor<8x16xf32> {jax.result_info = "result[2]"}, tensor<8xi32> {jax.result_info = "result[3]"}, tensor<8x8xf32> {jax.result_info = "result[4]"}, tensor<f32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.dot_general %arg13, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x24xf32>
    %4 = stablehlo.tanh %3 : tensor<8x24xf32>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
    %6 = stablehlo.add %arg13, %5 : tensor<8x16xf32>
    %7 = stablehlo.dot_general %6, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %8 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %10 = stablehlo.add %7, %9 : tensor<8x24xf32>
    %11 = stablehlo.tanh %10 : tensor<8x24xf32>
    %12 = stablehlo.dot_general %11, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
    %13 = stablehlo.add %6, %12 : tensor<8x16xf32>
    %14 = stablehlo.dot_general %13, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %15 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %17 = stablehlo.add %14, %16 : tensor<8x24xf32>
    %18 = stablehlo.tanh %17 : tensor<8x24xf32>
    %19 = stablehlo.dot_general %18, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
    %20 = stablehlo.add %13, %19 : tensor<8x16xf32>
    %21 = stablehlo.dot_general %20, %arg11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x24xf32>) -> tensor<8x24xf32>
    %22 = stablehlo.broadcast_in_dim %arg12, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %24 = stablehlo.add %21, %23 : tensor<8x24xf32>
    %25 = stablehlo.tanh %24 : tensor<8x24xf32>
    %26 = stablehlo.dot_general %25, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x24xf32>, tensor<24x16xf32>) -> tensor<8x16xf32>
    %27 = stablehlo.add %20, %26 : tensor<8x16xf32>
    %28 = stablehlo.dot_general %27, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %29 = call @argmax(%28) : (tensor<8x8xf32>) -> tensor<8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.reduce(%28 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.maximum %31, %30 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %35 = stablehlo.subtract %28, %34 : tensor<8x8xf32>
    %36 = stablehlo.exponential %35 : tensor<8x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
    %40 = stablehlo.divide %36, %39 : tensor<8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%28 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %42 = stablehlo.divide %41, %cst_3 : tensor<f32>
    return %28, %6, %20, %29, %40, %42 : tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xi32>, tensor<8x8xf32>, tensor<f32>
  }
  func.func private @argmax(%arg0: tensor<8x8xf32>) -> tensor<8xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<8x8xf32>, tensor<8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<8xi32>
  }
}

