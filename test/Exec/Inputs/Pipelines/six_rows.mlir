module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x12xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<12x12xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<12x12xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<12x12xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<12x12xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<12x12xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<6x12xf32>, %arg7: tensor<6x12xf32>) -> (tensor<12x12xf32> {jax.result_info = "result[0]['a']"}, tensor<12x12xf32> {jax.result_info = "result[0]['b']"}, tensor<12x12xf32> {jax.result_info = "result[0]['c']"}, tensor<12x12xf32> {jax.result_info = "result[1]['a']"}, tensor<12x12xf32> {jax.result_info = "result[1]['b']"}, tensor<12x12xf32> {jax.result_info = "result[1]['c']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg6, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x12xf32>) -> tensor<6x12xf32>
    %1 = stablehlo.tanh %0 : tensor<6x12xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<6x12xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x12xf32>) -> tensor<6x12xf32>
    %5 = stablehlo.tanh %4 : tensor<6x12xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6x12xf32>
    %8 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x12xf32>) -> tensor<6x12xf32>
    %9 = stablehlo.subtract %8, %arg7 : tensor<6x12xf32>
    %10 = stablehlo.multiply %9, %9 : tensor<6x12xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %12 = stablehlo.multiply %11, %9 : tensor<6x12xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %14 = stablehlo.divide %13, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %15 = stablehlo.divide %cst_4, %cst_5 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %17 = stablehlo.multiply %16, %12 : tensor<6x12xf32>
    %18 = stablehlo.dot_general %17, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %20 = stablehlo.dot_general %17, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x12xf32>) -> tensor<6x12xf32>
    %21 = stablehlo.multiply %20, %7 : tensor<6x12xf32>
    %22 = stablehlo.multiply %21, %5 : tensor<6x12xf32>
    %23 = stablehlo.add %21, %22 : tensor<6x12xf32>
    %24 = stablehlo.dot_general %23, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %26 = stablehlo.dot_general %23, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<12x12xf32>) -> tensor<6x12xf32>
    %27 = stablehlo.multiply %26, %3 : tensor<6x12xf32>
    %28 = stablehlo.multiply %27, %1 : tensor<6x12xf32>
    %29 = stablehlo.add %27, %28 : tensor<6x12xf32>
    %30 = stablehlo.dot_general %29, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %33 = stablehlo.multiply %32, %arg3 : tensor<12x12xf32>
    %34 = stablehlo.add %33, %31 : tensor<12x12xf32>
    %cst_7 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %36 = stablehlo.multiply %35, %arg4 : tensor<12x12xf32>
    %37 = stablehlo.add %36, %25 : tensor<12x12xf32>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %39 = stablehlo.multiply %38, %arg5 : tensor<12x12xf32>
    %40 = stablehlo.add %39, %19 : tensor<12x12xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %42 = stablehlo.multiply %41, %34 : tensor<12x12xf32>
    %43 = stablehlo.subtract %arg0, %42 : tensor<12x12xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %45 = stablehlo.multiply %44, %37 : tensor<12x12xf32>
    %46 = stablehlo.subtract %arg1, %45 : tensor<12x12xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<12x12xf32>
    %48 = stablehlo.multiply %47, %40 : tensor<12x12xf32>
    %49 = stablehlo.subtract %arg2, %48 : tensor<12x12xf32>
    return %43, %46, %49, %34, %37, %40, %14 : tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<12x12xf32>, tensor<f32>
  }
}

