// Reductions, windows and sorting, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @short_reductions
func.func @short_reductions(%arg0: tensor<8x6x4xf32>, %arg1: tensor<f32>, %arg2: tensor<8xi1>, %arg3: tensor<i1>) {
  // CHECK: %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<6xf32>
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<6xf32>
  // CHECK: %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %1 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  // CHECK: %2 = stablehlo.reduce(%arg2 init: %arg3) applies stablehlo.and across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
  %2 = stablehlo.reduce(%arg2 init: %arg3) applies stablehlo.and across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: %3 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [] {mhlo.note = "kept"} : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6x4xf32>
  %3 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [] {mhlo.note = "kept"} : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x6x4xf32>
  return
}

// Several inputs: the left and the right value of each stand in one pair.
// CHECK-LABEL: func.func @argmax
func.func @argmax(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  // CHECK: %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   // CHECK: reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
   reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
    // CHECK: %1 = stablehlo.compare GT, %arg4, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare GT, %arg4, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // CHECK: %2 = stablehlo.select %1, %arg4, %arg6 : tensor<i1>, tensor<f32>
    %2 = stablehlo.select %1, %arg4, %arg6 : tensor<i1>, tensor<f32>
    // CHECK: %3 = stablehlo.select %1, %arg5, %arg7 : tensor<i1>, tensor<i32>
    %3 = stablehlo.select %1, %arg5, %arg7 : tensor<i1>, tensor<i32>
    // CHECK: stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return
}

// The short form would lose the order of the arguments and an attribute.
// CHECK-LABEL: func.func @long_reductions
func.func @long_reductions(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
  // CHECK: %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
   // CHECK: reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    // CHECK: %2 = stablehlo.maximum %arg3, %arg2 : tensor<f32>
    %2 = stablehlo.maximum %arg3, %arg2 : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  // CHECK: %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
   // CHECK: reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    // CHECK: %2 = stablehlo.add %arg2, %arg3 {mhlo.note = "kept"} : tensor<f32>
    %2 = stablehlo.add %arg2, %arg3 {mhlo.note = "kept"} : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%arg0: tensor<8x32x32x16xf32>, %arg1: tensor<f32>, %arg2: tensor<8x16x16x16xf32>, %arg3: tensor<64xf32>) {
  // CHECK: %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<{{\[\[}}0, 0], [0, 1], [0, 1], [0, 0{{\]\]}}> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  // CHECK: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    // CHECK: %3 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
    %3 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
    // CHECK: stablehlo.return %3 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  // CHECK: }) : (tensor<8x32x32x16xf32>, tensor<f32>) -> tensor<8x16x16x16xf32>
  }) : (tensor<8x32x32x16xf32>, tensor<f32>) -> tensor<8x16x16x16xf32>
  // CHECK: %1 = "stablehlo.select_and_scatter"(%arg0, %arg2, %arg1) <{padding = dense<{{\[\[}}0, 0], [0, 1], [0, 1], [0, 0{{\]\]}}> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  %1 = "stablehlo.select_and_scatter"(%arg0, %arg2, %arg1) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  // CHECK: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    // CHECK: %3 = stablehlo.compare GE, %arg4, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare GE, %arg4, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // CHECK: stablehlo.return %3 : tensor<i1>
    stablehlo.return %3 : tensor<i1>
  // CHECK: }, {
  }, {
  // CHECK: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    // CHECK: %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
    %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
    // CHECK: stablehlo.return %3 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  // CHECK: }) : (tensor<8x32x32x16xf32>, tensor<8x16x16x16xf32>, tensor<f32>) -> tensor<8x32x32x16xf32>
  }) : (tensor<8x32x32x16xf32>, tensor<8x16x16x16xf32>, tensor<f32>) -> tensor<8x32x32x16xf32>
  // CHECK: %2 = "stablehlo.reduce_window"(%arg3, %arg1) <{padding = dense<{{\[\[}}63, 0{{\]\]}}> : tensor<1x2xi64>, window_dimensions = array<i64: 64>}> ({
  %2 = "stablehlo.reduce_window"(%arg3, %arg1) <{padding = dense<[[63, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 64>}> ({
  // CHECK: ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    // CHECK: %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
    %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
    // CHECK: stablehlo.return %3 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  // CHECK: }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @sorts
func.func @sorts(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>) {
  // CHECK: %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
  // CHECK: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    // CHECK: %2 = stablehlo.compare LT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare LT, %arg2, %arg3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // CHECK: stablehlo.return %2 : tensor<i1>
    stablehlo.return %2 : tensor<i1>
  // CHECK: }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: %1 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
  %1 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
  // CHECK: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    // CHECK: %2 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
    %2 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
    // CHECK: stablehlo.return %2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  // CHECK: }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
