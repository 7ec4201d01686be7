module @jit_s attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<16x4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8x16xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<16x4xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<f32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<i32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<32x8xf32>, %arg7: tensor<32x4xf32>) -> (tensor<8x16xf32> {jax.result_info = "result[0]['a']"}, tensor<16x4xf32> {jax.result_info = "result[0]['b']"}, tensor<8x16xf32> {jax.result_info = "result[1]['a']"}, tensor<16x4xf32> {jax.result_info = "result[1]['b']"}, tensor<f32> {jax.result_info = "result[2]"}, tensor<i32> {jax.result_info = "result[3]"}, tensor<f32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg6, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf32>, tensor<8x16xf32>) -> tensor<32x16xf32>
    %1 = stablehlo.tanh %0 : tensor<32x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<32x16xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<16x4xf32>) -> tensor<32x4xf32>
    %5 = stablehlo.subtract %4, %arg7 : tensor<32x4xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<32x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x4xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<32x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %10 = stablehlo.divide %9, %cst_2 : tensor<f32>
    %11 = stablehlo.multiply %10, %arg4 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.multiply %cst_3, %arg4 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %13 = stablehlo.divide %12, %cst_4 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<32x4xf32>
    %15 = stablehlo.multiply %14, %8 : tensor<32x4xf32>
    %16 = stablehlo.dot_general %15, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x4xf32>, tensor<32x16xf32>) -> tensor<4x16xf32>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %18 = stablehlo.dot_general %15, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x4xf32>, tensor<16x4xf32>) -> tensor<32x16xf32>
    %19 = stablehlo.multiply %18, %3 : tensor<32x16xf32>
    %20 = stablehlo.multiply %19, %1 : tensor<32x16xf32>
    %21 = stablehlo.add %19, %20 : tensor<32x16xf32>
    %22 = stablehlo.dot_general %21, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %24 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %25 = stablehlo.divide %23, %24 : tensor<8x16xf32>
    %26 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %27 = stablehlo.divide %17, %26 : tensor<16x4xf32>
    %28 = stablehlo.is_finite %25 : (tensor<8x16xf32>) -> tensor<8x16xi1>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %29 = stablehlo.reduce(%28 init: %c) applies stablehlo.and across dimensions = [0, 1] : (tensor<8x16xi1>, tensor<i1>) -> tensor<i1>
    %30 = stablehlo.is_finite %27 : (tensor<16x4xf32>) -> tensor<16x4xi1>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %31 = stablehlo.reduce(%30 init: %c_5) applies stablehlo.and across dimensions = [0, 1] : (tensor<16x4xi1>, tensor<i1>) -> tensor<i1>
    %32 = stablehlo.and %29, %31 : tensor<i1>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %34 = stablehlo.multiply %33, %arg2 : tensor<8x16xf32>
    %35 = stablehlo.add %34, %25 : tensor<8x16xf32>
    %cst_7 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %37 = stablehlo.multiply %36, %arg3 : tensor<16x4xf32>
    %38 = stablehlo.add %37, %27 : tensor<16x4xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %40 = stablehlo.multiply %39, %35 : tensor<8x16xf32>
    %41 = stablehlo.subtract %arg0, %40 : tensor<8x16xf32>
    %42 = call @_where(%32, %41, %arg0) : (tensor<i1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %44 = stablehlo.multiply %43, %38 : tensor<16x4xf32>
    %45 = stablehlo.subtract %arg1, %44 : tensor<16x4xf32>
    %46 = call @_where_0(%32, %45, %arg1) : (tensor<i1>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %c_10 = stablehlo.constant dense<2000> : tensor<i32>
    %47 = stablehlo.compare GE, %arg5, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %48 = stablehlo.multiply %arg4, %cst_11 : tensor<f32>
    %49 = call @_where_1(%47, %48, %arg4) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %50 = stablehlo.divide %arg4, %cst_12 : tensor<f32>
    %51 = call @_where_1(%32, %49, %50) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %c_13 = stablehlo.constant dense<1> : tensor<i32>
    %52 = stablehlo.add %arg5, %c_13 : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %53 = call @_where_2(%32, %52, %c_14) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %54 = stablehlo.divide %11, %arg4 : tensor<f32>
    return %42, %46, %35, %38, %51, %53, %54 : tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x16xf32>, tensor<16x4xf32>, tensor<f32>, tensor<i32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<8x16xf32>, %arg2: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> tensor<16x4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg2 : tensor<i32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<i32>
    return %1 : tensor<i32>
  }
}
