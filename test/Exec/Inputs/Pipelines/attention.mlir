module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4x5xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x4x5xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8x4x5xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4x5x8xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8x5xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<8x4x8xf32>, %arg6: tensor<8x4x5xf32>) -> (tensor<8x4x5xf32> {jax.result_info = "result[0]['l'][0]"}, tensor<8x4x5xf32> {jax.result_info = "result[0]['l'][1]"}, tensor<8x4x5xf32> {jax.result_info = "result[0]['l'][2]"}, tensor<4x5x8xf32> {jax.result_info = "result[0]['l'][3]"}, tensor<8x5xf32> {jax.result_info = "result[0]['out']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %1 = stablehlo.dot_general %arg5, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %2 = stablehlo.dot_general %arg5, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %7 = stablehlo.compare EQ, %3, %6, FLOAT : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xi1>
    %8 = stablehlo.convert %7 : (tensor<8x4x4x4xi1>) -> tensor<8x4x4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %11 = stablehlo.maximum %10, %4 : tensor<8x4x4xf32>
    %12 = stablehlo.compare EQ, %4, %11, FLOAT : (tensor<8x4x4xf32>, tensor<8x4x4xf32>) -> tensor<8x4x4xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x4x4xi1>, tensor<8x4x4xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %17 = stablehlo.compare EQ, %16, %11, FLOAT : (tensor<8x4x4xf32>, tensor<8x4x4xf32>) -> tensor<8x4x4xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %20 = stablehlo.select %17, %18, %19 : tensor<8x4x4xi1>, tensor<8x4x4xf32>
    %21 = stablehlo.divide %15, %20 : tensor<8x4x4xf32>
    %22 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %24 = stablehlo.subtract %3, %23 : tensor<8x4x4x4xf32>
    %25 = stablehlo.exponential %24 : tensor<8x4x4x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %29 = stablehlo.divide %25, %28 : tensor<8x4x4x4xf32>
    %30 = stablehlo.multiply %27, %27 : tensor<8x4x4x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x4x1xf32>
    %32 = stablehlo.divide %31, %30 : tensor<8x4x4x1xf32>
    %33 = stablehlo.dot_general %2, %29, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x5x4xf32>
    %34 = stablehlo.transpose %33, dims = [0, 3, 1, 2] : (tensor<8x4x5x4xf32>) -> tensor<8x4x4x5xf32>
    %35 = stablehlo.dot_general %34, %arg3, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<4x5x8xf32>) -> tensor<8x4x8xf32>
    %36 = stablehlo.add %arg5, %35 : tensor<8x4x8xf32>
    %37 = stablehlo.dot_general %36, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x5xf32>) -> tensor<8x4x5xf32>
    %38 = stablehlo.subtract %37, %arg6 : tensor<8x4x5xf32>
    %39 = stablehlo.multiply %38, %38 : tensor<8x4x5xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %41 = stablehlo.multiply %40, %38 : tensor<8x4x5xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<1.600000e+02> : tensor<f32>
    %43 = stablehlo.divide %42, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.600000e+02> : tensor<f32>
    %44 = stablehlo.divide %cst_12, %cst_13 : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %46 = stablehlo.multiply %45, %41 : tensor<8x4x5xf32>
    %47 = stablehlo.dot_general %46, %36, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5xf32>, tensor<8x4x8xf32>) -> tensor<5x8xf32>
    %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %49 = stablehlo.dot_general %46, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5xf32>, tensor<8x5xf32>) -> tensor<8x4x8xf32>
    %50 = stablehlo.dot_general %49, %34, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x5xf32>
    %51 = stablehlo.transpose %50, dims = [1, 2, 0] : (tensor<8x4x5xf32>) -> tensor<4x5x8xf32>
    %52 = stablehlo.dot_general %49, %arg3, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<4x5x8xf32>) -> tensor<8x4x4x5xf32>
    %53 = stablehlo.transpose %52, dims = [0, 2, 3, 1] : (tensor<8x4x4x5xf32>) -> tensor<8x4x5x4xf32>
    %54 = stablehlo.dot_general %53, %2, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x4xf32>
    %55 = stablehlo.dot_general %53, %29, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x5x4xf32>
    %56 = stablehlo.transpose %55, dims = [0, 3, 1, 2] : (tensor<8x4x5x4xf32>) -> tensor<8x4x4x5xf32>
    %57 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %58 = stablehlo.multiply %54, %57 : tensor<8x4x4x4xf32>
    %59 = stablehlo.multiply %58, %25 : tensor<8x4x4x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_14) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %61 = stablehlo.reshape %60 : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %62 = stablehlo.negate %61 : tensor<8x4x4x1xf32>
    %63 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %64 = stablehlo.divide %54, %63 : tensor<8x4x4x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%62 init: %cst_15) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x1xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x4xf32>
    %67 = stablehlo.add %64, %66 : tensor<8x4x4x4xf32>
    %68 = stablehlo.multiply %67, %25 : tensor<8x4x4x4xf32>
    %69 = stablehlo.dot_general %68, %0, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %70 = stablehlo.transpose %69, dims = [0, 2, 1, 3] : (tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %71 = stablehlo.dot_general %68, %1, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %72 = stablehlo.transpose %71, dims = [0, 2, 1, 3] : (tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %73 = stablehlo.dot_general %56, %arg5, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %74 = stablehlo.transpose %73, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %75 = stablehlo.dot_general %70, %arg5, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %76 = stablehlo.transpose %75, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %77 = stablehlo.dot_general %72, %arg5, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %78 = stablehlo.transpose %77, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<8x4x5xf32>
    %81 = stablehlo.subtract %arg0, %80 : tensor<8x4x5xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %83 = stablehlo.multiply %82, %76 : tensor<8x4x5xf32>
    %84 = stablehlo.subtract %arg1, %83 : tensor<8x4x5xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %86 = stablehlo.multiply %85, %74 : tensor<8x4x5xf32>
    %87 = stablehlo.subtract %arg2, %86 : tensor<8x4x5xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x5x8xf32>
    %89 = stablehlo.multiply %88, %51 : tensor<4x5x8xf32>
    %90 = stablehlo.subtract %arg3, %89 : tensor<4x5x8xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x5xf32>
    %92 = stablehlo.multiply %91, %48 : tensor<8x5xf32>
    %93 = stablehlo.subtract %arg4, %92 : tensor<8x5xf32>
    return %81, %84, %87, %90, %93, %43 : tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<4x5x8xf32>, tensor<8x5xf32>, tensor<f32>
  }
}

