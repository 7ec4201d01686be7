module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x4x5xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2x8x4x5xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2x8x4x5xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<2x4x5x8xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8x5xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<8x4x8xf32>, %arg6: tensor<8x4x5xf32>) -> (tensor<2x8x4x5xf32> {jax.result_info = "result[0]['l'][0]"}, tensor<2x8x4x5xf32> {jax.result_info = "result[0]['l'][1]"}, tensor<2x8x4x5xf32> {jax.result_info = "result[0]['l'][2]"}, tensor<2x4x5x8xf32> {jax.result_info = "result[0]['l'][3]"}, tensor<8x5xf32> {jax.result_info = "result[0]['out']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x4x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x5xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x8x4x4x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9:15 = stablehlo.while(%iterArg = %arg0, %iterArg_24 = %arg1, %iterArg_25 = %arg2, %iterArg_26 = %arg3, %iterArg_27 = %c, %iterArg_28 = %arg5, %iterArg_29 = %0, %iterArg_30 = %1, %iterArg_31 = %2, %iterArg_32 = %3, %iterArg_33 = %4, %iterArg_34 = %5, %iterArg_35 = %6, %iterArg_36 = %7, %iterArg_37 = %8) : tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x4x5x8xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<2x8x4x8xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>
    cond {
      %c_38 = stablehlo.constant dense<2> : tensor<i32>
      %44 = stablehlo.compare LT, %iterArg_27, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %44 : tensor<i1>
    } do {
      %44 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_27) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %45 = func.call @dynamic_index_in_dim(%iterArg_24, %iterArg_27) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %46 = func.call @dynamic_index_in_dim(%iterArg_25, %iterArg_27) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %47 = func.call @dynamic_index_in_dim_0(%iterArg_26, %iterArg_27) : (tensor<2x4x5x8xf32>, tensor<i32>) -> tensor<4x5x8xf32>
      %48:10 = func.call @closed_call(%iterArg_28, %44, %45, %46, %47) : (tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<4x5x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>)
      %49 = func.call @dynamic_update_index_in_dim(%iterArg_29, %48#1, %iterArg_27) : (tensor<2x8x4x8xf32>, tensor<8x4x8xf32>, tensor<i32>) -> tensor<2x8x4x8xf32>
      %50 = func.call @dynamic_update_index_in_dim_1(%iterArg_30, %48#2, %iterArg_27) : (tensor<2x8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<i32>) -> tensor<2x8x4x4x5xf32>
      %51 = func.call @dynamic_update_index_in_dim_1(%iterArg_31, %48#3, %iterArg_27) : (tensor<2x8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<i32>) -> tensor<2x8x4x4x5xf32>
      %52 = func.call @dynamic_update_index_in_dim_2(%iterArg_32, %48#4, %iterArg_27) : (tensor<2x8x4x4x4xf32>, tensor<8x4x4x4xf32>, tensor<i32>) -> tensor<2x8x4x4x4xf32>
      %53 = func.call @dynamic_update_index_in_dim_3(%iterArg_33, %48#5, %iterArg_27) : (tensor<2x8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<i32>) -> tensor<2x8x4x4x1xf32>
      %54 = func.call @dynamic_update_index_in_dim_3(%iterArg_34, %48#6, %iterArg_27) : (tensor<2x8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<i32>) -> tensor<2x8x4x4x1xf32>
      %55 = func.call @dynamic_update_index_in_dim_2(%iterArg_35, %48#7, %iterArg_27) : (tensor<2x8x4x4x4xf32>, tensor<8x4x4x4xf32>, tensor<i32>) -> tensor<2x8x4x4x4xf32>
      %56 = func.call @dynamic_update_index_in_dim_1(%iterArg_36, %48#8, %iterArg_27) : (tensor<2x8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<i32>) -> tensor<2x8x4x4x5xf32>
      %57 = func.call @dynamic_update_index_in_dim_1(%iterArg_37, %48#9, %iterArg_27) : (tensor<2x8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<i32>) -> tensor<2x8x4x4x5xf32>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %58 = stablehlo.add %iterArg_27, %c_38 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_24, %iterArg_25, %iterArg_26, %58, %48#0, %49, %50, %51, %52, %53, %54, %55, %56, %57 : tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x4x5x8xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<2x8x4x8xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>
    }
    %10 = stablehlo.dot_general %9#5, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x5xf32>) -> tensor<8x4x5xf32>
    %11 = stablehlo.subtract %10, %arg6 : tensor<8x4x5xf32>
    %12 = stablehlo.multiply %11, %11 : tensor<8x4x5xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %14 = stablehlo.multiply %13, %11 : tensor<8x4x5xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%12 init: %cst_9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.600000e+02> : tensor<f32>
    %16 = stablehlo.divide %15, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x4x8xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32> %cst_13 = stablehlo.constant dense<1.600000e+02> : tensor<f32>
    %18 = stablehlo.divide %cst_12, %cst_13 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x4x5xf32>
    %20 = stablehlo.multiply %19, %14 : tensor<8x4x5xf32>
    %21 = stablehlo.dot_general %20, %9#5, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5xf32>, tensor<8x4x8xf32>) -> tensor<5x8xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %23 = stablehlo.dot_general %20, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5xf32>, tensor<8x5xf32>) -> tensor<8x4x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x4x5x8xf32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %28:19 = stablehlo.while(%iterArg = %arg0, %iterArg_24 = %9#6, %iterArg_25 = %arg1, %iterArg_26 = %arg2, %iterArg_27 = %9#7, %iterArg_28 = %9#8, %iterArg_29 = %9#9, %iterArg_30 = %9#10, %iterArg_31 = %9#11, %iterArg_32 = %9#12, %iterArg_33 = %9#13, %iterArg_34 = %arg3, %iterArg_35 = %9#14, %iterArg_36 = %c_18, %iterArg_37 = %23, %iterArg_38 = %24, %iterArg_39 = %25, %iterArg_40 = %26, %iterArg_41 = %27) : tensor<2x8x4x5xf32>, tensor<2x8x4x8xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2x8x4x4x5xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x4x5x8xf32>
    cond {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %44 = stablehlo.compare LT, %iterArg_36, %c_42, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %44 : tensor<i1>
    } do {
      %c_42 = stablehlo.constant dense<2> : tensor<i32>
      %44 = stablehlo.subtract %c_42, %iterArg_36 : tensor<i32>
      %c_43 = stablehlo.constant dense<1> : tensor<i32>
      %45 = stablehlo.subtract %44, %c_43 : tensor<i32>
      %46 = func.call @dynamic_index_in_dim(%iterArg, %45) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %47 = func.call @dynamic_index_in_dim_4(%iterArg_24, %45) : (tensor<2x8x4x8xf32>, tensor<i32>) -> tensor<8x4x8xf32>
      %48 = func.call @dynamic_index_in_dim(%iterArg_25, %45) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %49 = func.call @dynamic_index_in_dim(%iterArg_26, %45) : (tensor<2x8x4x5xf32>, tensor<i32>) -> tensor<8x4x5xf32>
      %50 = func.call @dynamic_index_in_dim_5(%iterArg_27, %45) : (tensor<2x8x4x4x5xf32>, tensor<i32>) -> tensor<8x4x4x5xf32>
      %51 = func.call @dynamic_index_in_dim_5(%iterArg_28, %45) : (tensor<2x8x4x4x5xf32>, tensor<i32>) -> tensor<8x4x4x5xf32>
      %52 = func.call @dynamic_index_in_dim_6(%iterArg_29, %45) : (tensor<2x8x4x4x4xf32>, tensor<i32>) -> tensor<8x4x4x4xf32>
      %53 = func.call @dynamic_index_in_dim_7(%iterArg_30, %45) : (tensor<2x8x4x4x1xf32>, tensor<i32>) -> tensor<8x4x4x1xf32>
      %54 = func.call @dynamic_index_in_dim_7(%iterArg_31, %45) : (tensor<2x8x4x4x1xf32>, tensor<i32>) -> tensor<8x4x4x1xf32>
      %55 = func.call @dynamic_index_in_dim_6(%iterArg_32, %45) : (tensor<2x8x4x4x4xf32>, tensor<i32>) -> tensor<8x4x4x4xf32>
      %56 = func.call @dynamic_index_in_dim_5(%iterArg_33, %45) : (tensor<2x8x4x4x5xf32>, tensor<i32>) -> tensor<8x4x4x5xf32>
      %57 = func.call @dynamic_index_in_dim_0(%iterArg_34, %45) : (tensor<2x4x5x8xf32>, tensor<i32>) -> tensor<4x5x8xf32>
      %58 = func.call @dynamic_index_in_dim_5(%iterArg_35, %45) : (tensor<2x8x4x4x5xf32>, tensor<i32>) -> tensor<8x4x4x5xf32>
      %59:5 = func.call @closed_call_8(%iterArg_37, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58) : (tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>, tensor<4x5x8xf32>, tensor<8x4x4x5xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<4x5x8xf32>)
      %60 = func.call @dynamic_update_index_in_dim_9(%iterArg_38, %59#1, %45) : (tensor<2x8x4x5xf32>, tensor<8x4x5xf32>, tensor<i32>) -> tensor<2x8x4x5xf32>
      %61 = func.call @dynamic_update_index_in_dim_9(%iterArg_39, %59#2, %45) : (tensor<2x8x4x5xf32>, tensor<8x4x5xf32>, tensor<i32>) -> tensor<2x8x4x5xf32>
      %62 = func.call @dynamic_update_index_in_dim_9(%iterArg_40, %59#3, %45) : (tensor<2x8x4x5xf32>, tensor<8x4x5xf32>, tensor<i32>) -> tensor<2x8x4x5xf32>
      %63 = func.call @dynamic_update_index_in_dim_10(%iterArg_41, %59#4, %45) : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<i32>) -> tensor<2x4x5x8xf32>
      %c_44 = stablehlo.constant dense<1> : tensor<i32> %64 = stablehlo.add %iterArg_36, %c_44 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %64, %59#0, %60, %61, %62, %63 : tensor<2x8x4x5xf32>, tensor<2x8x4x8xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x5xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x1xf32>, tensor<2x8x4x4x4xf32>, tensor<2x8x4x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2x8x4x4x5xf32>, tensor<i32>, tensor<8x4x8xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x4x5x8xf32>
    }
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32> %29 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32>
    %30 = stablehlo.multiply %29, %28#15 : tensor<2x8x4x5xf32> %31 = stablehlo.subtract %arg0, %30 : tensor<2x8x4x5xf32> %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32> %33 = stablehlo.multiply %32, %28#16 : tensor<2x8x4x5xf32>
    %34 = stablehlo.subtract %arg1, %33 : tensor<2x8x4x5xf32> %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x8x4x5xf32> %36 = stablehlo.multiply %35, %28#17 : tensor<2x8x4x5xf32>
    %37 = stablehlo.subtract %arg2, %36 : tensor<2x8x4x5xf32> %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x4x5x8xf32> %39 = stablehlo.multiply %38, %28#18 : tensor<2x4x5x8xf32>
    %40 = stablehlo.subtract %arg3, %39 : tensor<2x4x5x8xf32> %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x5xf32> %42 = stablehlo.multiply %41, %22 : tensor<8x5xf32> %43 = stablehlo.subtract %arg4, %42 : tensor<8x5xf32>
    return %31, %34, %37, %40, %43, %16 : tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x8x4x5xf32>, tensor<2x4x5x8xf32>, tensor<8x5xf32>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x8x4x5xf32>, %arg1: tensor<i32>) -> tensor<8x4x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 4, 5] : (tensor<2x8x4x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x5xf32>) -> tensor<8x4x5xf32>
    return %1 : tensor<8x4x5xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<i32>) -> tensor<4x5x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 4, 5, 8] : (tensor<2x4x5x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x5x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x5x8xf32>) -> tensor<4x5x8xf32>
    return %1 : tensor<4x5x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x4x8xf32>, %arg1: tensor<8x4x5xf32>, %arg2: tensor<8x4x5xf32>, %arg3: tensor<8x4x5xf32>, %arg4: tensor<4x5x8xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x8xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x5xf32>) -> tensor<8x4x4x5xf32>
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32> %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %6 = stablehlo.maximum %5, %4 : tensor<8x4x4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32> %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<8x4x4x4xf32> %10 = stablehlo.exponential %9 : tensor<8x4x4x4xf32> %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32> %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %14 = stablehlo.divide %10, %13 : tensor<8x4x4x4xf32> %15 = stablehlo.multiply %12, %12 : tensor<8x4x4x1xf32> %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x4x1xf32> %17 = stablehlo.divide %16, %15 : tensor<8x4x4x1xf32>
    %18 = stablehlo.dot_general %2, %14, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x5x4xf32>
    %19 = stablehlo.transpose %18, dims = [0, 3, 1, 2] : (tensor<8x4x5x4xf32>) -> tensor<8x4x4x5xf32>
    %20 = stablehlo.dot_general %19, %arg4, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<4x5x8xf32>) -> tensor<8x4x8xf32>
    %21 = stablehlo.add %arg0, %20 : tensor<8x4x8xf32>
    return %21, %arg0, %1, %0, %10, %12, %17, %14, %2, %19 : tensor<8x4x8xf32>, tensor<8x4x8xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x1xf32>, tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>, tensor<8x4x4x5xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2x8x4x8xf32>, %arg1: tensor<8x4x8xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x4x8xf32>) -> tensor<1x8x4x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x4x8xf32>, tensor<1x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x8xf32>
    return %1 : tensor<2x8x4x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<2x8x4x4x5xf32>, %arg1: tensor<8x4x4x5xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x4x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x4x5xf32>) -> tensor<1x8x4x4x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x4x5xf32>, tensor<1x8x4x4x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x4x5xf32>
    return %1 : tensor<2x8x4x4x5xf32>
  }
  func.func private @dynamic_update_index_in_dim_2(%arg0: tensor<2x8x4x4x4xf32>, %arg1: tensor<8x4x4x4xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x4x4xf32>) -> tensor<1x8x4x4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x4x4xf32>, tensor<1x8x4x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x4x4xf32>
    return %1 : tensor<2x8x4x4x4xf32>
  }
  func.func private @dynamic_update_index_in_dim_3(%arg0: tensor<2x8x4x4x1xf32>, %arg1: tensor<8x4x4x1xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x4x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<8x4x4x1xf32>) -> tensor<1x8x4x4x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<2x8x4x4x1xf32>, tensor<1x8x4x4x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x4x1xf32>
    return %1 : tensor<2x8x4x4x1xf32>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x8x4x8xf32>, %arg1: tensor<i32>) -> tensor<8x4x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 8, 4, 8] : (tensor<2x8x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x8xf32>) -> tensor<8x4x8xf32>
    return %1 : tensor<8x4x8xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x8x4x4x5xf32>, %arg1: tensor<i32>) -> tensor<8x4x4x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 4, 5] : (tensor<2x8x4x4x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x4x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    return %1 : tensor<8x4x4x5xf32>
  }
  func.func private @dynamic_index_in_dim_6(%arg0: tensor<2x8x4x4x4xf32>, %arg1: tensor<i32>) -> tensor<8x4x4x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 4, 4] : (tensor<2x8x4x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x4x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    return %1 : tensor<8x4x4x4xf32>
  }
  func.func private @dynamic_index_in_dim_7(%arg0: tensor<2x8x4x4x1xf32>, %arg1: tensor<i32>) -> tensor<8x4x4x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 8, 4, 4, 1] : (tensor<2x8x4x4x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4x4x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x4x4x1xf32>) -> tensor<8x4x4x1xf32>
    return %1 : tensor<8x4x4x1xf32>
  }
  func.func private @closed_call_8(%arg0: tensor<8x4x8xf32>, %arg1: tensor<8x4x5xf32>, %arg2: tensor<8x4x8xf32>, %arg3: tensor<8x4x5xf32>, %arg4: tensor<8x4x5xf32>, %arg5: tensor<8x4x4x5xf32>, %arg6: tensor<8x4x4x5xf32>, %arg7: tensor<8x4x4x4xf32>, %arg8: tensor<8x4x4x1xf32>, %arg9: tensor<8x4x4x1xf32>, %arg10: tensor<8x4x4x4xf32>, %arg11: tensor<8x4x4x5xf32>, %arg12: tensor<4x5x8xf32>, %arg13: tensor<8x4x4x5xf32>) -> (tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<4x5x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg13, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x5xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<8x4x5xf32>) -> tensor<4x5x8xf32>
    %2 = stablehlo.dot_general %arg0, %arg12, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8xf32>, tensor<4x5x8xf32>) -> tensor<8x4x4x5xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 3, 1] : (tensor<8x4x4x5xf32>) -> tensor<8x4x5x4xf32>
    %4 = stablehlo.dot_general %3, %arg11, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x4xf32>
    %5 = stablehlo.dot_general %3, %arg10, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x5x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x5x4xf32>
    %6 = stablehlo.transpose %5, dims = [0, 3, 1, 2] : (tensor<8x4x5x4xf32>) -> tensor<8x4x4x5xf32>
    %7 = stablehlo.broadcast_in_dim %arg9, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32> %8 = stablehlo.multiply %4, %7 : tensor<8x4x4x4xf32>
    %9 = stablehlo.multiply %8, %arg7 : tensor<8x4x4x4xf32> %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %11 = stablehlo.reshape %10 : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32> %12 = stablehlo.negate %11 : tensor<8x4x4x1xf32>
    %13 = stablehlo.broadcast_in_dim %arg8, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32> %14 = stablehlo.divide %4, %13 : tensor<8x4x4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%12 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x1xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x4xf32> %17 = stablehlo.add %14, %16 : tensor<8x4x4x4xf32>
    %18 = stablehlo.multiply %17, %arg7 : tensor<8x4x4x4xf32>
    %19 = stablehlo.dot_general %18, %arg6, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %20 = stablehlo.transpose %19, dims = [0, 2, 1, 3] : (tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %21 = stablehlo.dot_general %18, %arg5, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %22 = stablehlo.transpose %21, dims = [0, 2, 1, 3] : (tensor<8x4x4x5xf32>) -> tensor<8x4x4x5xf32>
    %23 = stablehlo.dot_general %6, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %24 = stablehlo.transpose %23, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %25 = stablehlo.dot_general %6, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x5xf32>) -> tensor<8x4x8xf32>
    %26 = stablehlo.add %arg0, %25 : tensor<8x4x8xf32>
    %27 = stablehlo.dot_general %20, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %28 = stablehlo.transpose %27, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %29 = stablehlo.dot_general %20, %arg3, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x5xf32>) -> tensor<8x4x8xf32>
    %30 = stablehlo.add %26, %29 : tensor<8x4x8xf32>
    %31 = stablehlo.dot_general %22, %arg2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x8xf32>) -> tensor<4x5x8xf32>
    %32 = stablehlo.transpose %31, dims = [2, 0, 1] : (tensor<4x5x8xf32>) -> tensor<8x4x5xf32>
    %33 = stablehlo.dot_general %22, %arg1, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x5xf32>, tensor<8x4x5xf32>) -> tensor<8x4x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<8x4x8xf32>
    return %34, %32, %28, %24, %1 : tensor<8x4x8xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<8x4x5xf32>, tensor<4x5x8xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<2x8x4x5xf32>, %arg1: tensor<8x4x5xf32>, %arg2: tensor<i32>) -> tensor<2x8x4x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<8x4x5xf32>) -> tensor<1x8x4x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x8x4x5xf32>, tensor<1x8x4x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x8x4x5xf32>
    return %1 : tensor<2x8x4x5xf32>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<2x4x5x8xf32>, %arg1: tensor<4x5x8xf32>, %arg2: tensor<i32>) -> tensor<2x4x5x8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<4x5x8xf32>) -> tensor<1x4x5x8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32> %c_0 = stablehlo.constant dense<0> : tensor<i32> %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<2x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x5x8xf32>
    return %1 : tensor<2x4x5x8xf32>
  } }
