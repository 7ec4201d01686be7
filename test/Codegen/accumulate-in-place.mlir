// RUN: partopt-opt %s -split-input-file --partopt-form-kernels | FileCheck %s

// A table's two gradients: the scatter adds into the product. Its kernel may
// write over what it adds to, so nothing else is fused into that operand.
// CHECK-LABEL: func.func @tied
// CHECK: %[[PRODUCT:.+]] = stablehlo.dot_general
// CHECK-NEXT: %[[SUM:.+]] = call @k0(%[[PRODUCT]],
// CHECK-NEXT: return %[[SUM]]
// CHECK: func.func private @k0(%arg0: tensor<128x4xf32>
// CHECK-NEXT: "stablehlo.scatter"(%arg0
func.func @tied(%x: tensor<8x128xf32>, %d: tensor<8x4xf32>, %at: tensor<3x1xi32>, %rows: tensor<3x4xf32>) -> tensor<128x4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<128x4xf32>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x128xf32>, tensor<8x4xf32>) -> tensor<128x4xf32>
  %1 = "stablehlo.scatter"(%zeros, %at, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<128x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<128x4xf32>
  %2 = stablehlo.add %1, %0 : tensor<128x4xf32>
  return %2 : tensor<128x4xf32>
}

// -----

// Narrow floats would be rounded at each update: they are added as before.
// CHECK-LABEL: func.func @narrow
// CHECK: func.func private @k0
// CHECK-NEXT: %[[ZEROS:.+]] = stablehlo.constant
// CHECK-NEXT: "stablehlo.scatter"(%[[ZEROS]]
func.func @narrow(%x: tensor<128x4xbf16>, %at: tensor<3x1xi32>, %rows: tensor<3x4xbf16>) -> tensor<128x4xbf16> {
  %zeros = stablehlo.constant dense<0.0> : tensor<128x4xbf16>
  %1 = "stablehlo.scatter"(%zeros, %at, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %sum = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %sum : tensor<bf16>
  }) : (tensor<128x4xbf16>, tensor<3x1xi32>, tensor<3x4xbf16>) -> tensor<128x4xbf16>
  %2 = stablehlo.add %1, %x : tensor<128x4xbf16>
  return %2 : tensor<128x4xbf16>
}

// -----

// In a loop what is carried takes both, the product first.
// CHECK-LABEL: func.func @carried
// CHECK: %{{.*}}, %[[SUM:.+]] = comm.loop_begin
// CHECK: %[[PRODUCT:.+]] = stablehlo.dot_general
// CHECK: %[[FIRST:.+]] = call @[[ADD:k[0-9]+]](
// CHECK: %[[SHAPED:.+]] = stablehlo.reshape %[[FIRST]]
// CHECK: %[[NEXT:.+]] = call @{{k[0-9]+}}(%[[SHAPED]],
// CHECK: comm.loop_end(%[[NEXT]])
sdy.mesh @mesh = <["micro"=2]>
func.func @carried(%x: tensor<8x128xf32>, %d: tensor<8x4xf32>, %at: tensor<3x1xi32>, %rows: tensor<3x4xf32>) -> tensor<128x4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<128x4xf32>
  %i, %so_far = comm.loop_begin "micro" = 2(%zeros) : (tensor<128x4xf32>) -> (tensor<i32>, tensor<128x4xf32>)
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x128xf32>, tensor<8x4xf32>) -> tensor<128x4xf32>
  %1 = "stablehlo.scatter"(%zeros, %at, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<128x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<128x4xf32>
  %2 = stablehlo.add %1, %0 : tensor<128x4xf32>
  %3 = stablehlo.add %so_far, %2 : tensor<128x4xf32>
  %4 = comm.loop_end(%3) : (tensor<128x4xf32>) -> tensor<128x4xf32>
  return %4 : tensor<128x4xf32>
}
