// Elementwise ops of two and three operands, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
func.func @arithmetic(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) {
  // CHECK: %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
  %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %1 = stablehlo.atan2 %arg0, %arg1 : tensor<4x8xf32>
  %1 = stablehlo.atan2 %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %2 = stablehlo.divide %arg0, %arg1 : tensor<4x8xf32>
  %2 = stablehlo.divide %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %3 = stablehlo.maximum %arg0, %arg1 : tensor<4x8xf32>
  %3 = stablehlo.maximum %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %4 = stablehlo.minimum %arg0, %arg1 : tensor<4x8xf32>
  %4 = stablehlo.minimum %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %5 = stablehlo.multiply %arg0, %arg1 : tensor<4x8xf32>
  %5 = stablehlo.multiply %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %6 = stablehlo.power %arg0, %arg1 : tensor<4x8xf32>
  %6 = stablehlo.power %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %7 = stablehlo.remainder %arg0, %arg1 : tensor<4x8xf32>
  %7 = stablehlo.remainder %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %8 = stablehlo.subtract %arg0, %arg1 : tensor<4x8xf32>
  %8 = stablehlo.subtract %arg0, %arg1 : tensor<4x8xf32>
  // CHECK: %9 = stablehlo.complex %arg0, %arg1 : tensor<4x8xcomplex<f32>>
  %9 = stablehlo.complex %arg0, %arg1 : tensor<4x8xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%arg0: tensor<6xui32>, %arg1: tensor<6xui32>, %arg2: tensor<i1>) {
  // CHECK: %0 = stablehlo.and %arg2, %arg2 : tensor<i1>
  %0 = stablehlo.and %arg2, %arg2 : tensor<i1>
  // CHECK: %1 = stablehlo.or %arg0, %arg1 : tensor<6xui32>
  %1 = stablehlo.or %arg0, %arg1 : tensor<6xui32>
  // CHECK: %2 = stablehlo.xor %arg0, %arg1 : tensor<6xui32>
  %2 = stablehlo.xor %arg0, %arg1 : tensor<6xui32>
  // CHECK: %3 = stablehlo.shift_left %arg0, %arg1 : tensor<6xui32>
  %3 = stablehlo.shift_left %arg0, %arg1 : tensor<6xui32>
  // CHECK: %4 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<6xui32>
  %4 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<6xui32>
  // CHECK: %5 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<6xui32>
  %5 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<6xui32>
  return
}

// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>, %arg2: tensor<8xui8>, %arg3: tensor<8xi1>, %arg4: tensor<8xcomplex<f64>>) {
  // CHECK: %0 = stablehlo.compare EQ, %arg0, %arg0, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %0 = stablehlo.compare EQ, %arg0, %arg0, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  // CHECK: %1 = stablehlo.compare NE, %arg0, %arg0, TOTALORDER : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %1 = stablehlo.compare NE, %arg0, %arg0, TOTALORDER : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  // CHECK: %2 = stablehlo.compare GE, %arg1, %arg1, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %2 = stablehlo.compare GE, %arg1, %arg1, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  // CHECK: %3 = stablehlo.compare GT, %arg2, %arg2, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  %3 = stablehlo.compare GT, %arg2, %arg2, UNSIGNED : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xi1>
  // CHECK: %4 = stablehlo.compare LE, %arg3, %arg3, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %4 = stablehlo.compare LE, %arg3, %arg3, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  // CHECK: %5 = stablehlo.compare LT, %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %5 = stablehlo.compare LT, %arg0, %arg0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  // CHECK: %6 = stablehlo.compare EQ, %arg4, %arg4, FLOAT : (tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>) -> tensor<8xi1>
  %6 = stablehlo.compare EQ, %arg4, %arg4, FLOAT : (tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>) -> tensor<8xi1>
  return
}

// A scalar predicate and scalar bounds stand for their splats.
// CHECK-LABEL: func.func @three_operands
func.func @three_operands(%arg0: tensor<8xi1>, %arg1: tensor<i1>, %arg2: tensor<8xf32>, %arg3: tensor<f32>) {
  // CHECK: %0 = stablehlo.select %arg0, %arg2, %arg2 : tensor<8xi1>, tensor<8xf32>
  %0 = stablehlo.select %arg0, %arg2, %arg2 : tensor<8xi1>, tensor<8xf32>
  // CHECK: %1 = stablehlo.select %arg1, %arg2, %arg2 : tensor<i1>, tensor<8xf32>
  %1 = stablehlo.select %arg1, %arg2, %arg2 : tensor<i1>, tensor<8xf32>
  // CHECK: %2 = stablehlo.clamp %arg2, %arg2, %arg2 : tensor<8xf32>
  %2 = stablehlo.clamp %arg2, %arg2, %arg2 : tensor<8xf32>
  // CHECK: %3 = stablehlo.clamp %arg3, %arg2, %arg3 : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.clamp %arg3, %arg2, %arg3 : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}
