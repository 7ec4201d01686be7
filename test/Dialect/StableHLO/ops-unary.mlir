// Elementwise ops of one operand, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%arg0: tensor<4x8xf32>) {
  // CHECK: %0 = stablehlo.abs %arg0 : tensor<4x8xf32>
  %0 = stablehlo.abs %arg0 : tensor<4x8xf32>
  // CHECK: %1 = stablehlo.cbrt %arg0 : tensor<4x8xf32>
  %1 = stablehlo.cbrt %arg0 : tensor<4x8xf32>
  // CHECK: %2 = stablehlo.ceil %arg0 : tensor<4x8xf32>
  %2 = stablehlo.ceil %arg0 : tensor<4x8xf32>
  // CHECK: %3 = stablehlo.cosine %arg0 : tensor<4x8xf32>
  %3 = stablehlo.cosine %arg0 : tensor<4x8xf32>
  // CHECK: %4 = stablehlo.exponential %arg0 : tensor<4x8xf32>
  %4 = stablehlo.exponential %arg0 : tensor<4x8xf32>
  // CHECK: %5 = stablehlo.exponential_minus_one %arg0 : tensor<4x8xf32>
  %5 = stablehlo.exponential_minus_one %arg0 : tensor<4x8xf32>
  // CHECK: %6 = stablehlo.floor %arg0 : tensor<4x8xf32>
  %6 = stablehlo.floor %arg0 : tensor<4x8xf32>
  // CHECK: %7 = stablehlo.log %arg0 : tensor<4x8xf32>
  %7 = stablehlo.log %arg0 : tensor<4x8xf32>
  // CHECK: %8 = stablehlo.log_plus_one %arg0 : tensor<4x8xf32>
  %8 = stablehlo.log_plus_one %arg0 : tensor<4x8xf32>
  // CHECK: %9 = stablehlo.logistic %arg0 : tensor<4x8xf32>
  %9 = stablehlo.logistic %arg0 : tensor<4x8xf32>
  // CHECK: %10 = stablehlo.negate %arg0 : tensor<4x8xf32>
  %10 = stablehlo.negate %arg0 : tensor<4x8xf32>
  // CHECK: %11 = stablehlo.round_nearest_afz %arg0 : tensor<4x8xf32>
  %11 = stablehlo.round_nearest_afz %arg0 : tensor<4x8xf32>
  // CHECK: %12 = stablehlo.round_nearest_even %arg0 : tensor<4x8xf32>
  %12 = stablehlo.round_nearest_even %arg0 : tensor<4x8xf32>
  // CHECK: %13 = stablehlo.rsqrt %arg0 : tensor<4x8xf32>
  %13 = stablehlo.rsqrt %arg0 : tensor<4x8xf32>
  // CHECK: %14 = stablehlo.sign %arg0 : tensor<4x8xf32>
  %14 = stablehlo.sign %arg0 : tensor<4x8xf32>
  // CHECK: %15 = stablehlo.sine %arg0 : tensor<4x8xf32>
  %15 = stablehlo.sine %arg0 : tensor<4x8xf32>
  // CHECK: %16 = stablehlo.sqrt %arg0 : tensor<4x8xf32>
  %16 = stablehlo.sqrt %arg0 : tensor<4x8xf32>
  // CHECK: %17 = stablehlo.tan %arg0 : tensor<4x8xf32>
  %17 = stablehlo.tan %arg0 : tensor<4x8xf32>
  // CHECK: %18 = stablehlo.tanh %arg0 : tensor<4x8xf32>
  %18 = stablehlo.tanh %arg0 : tensor<4x8xf32>
  // CHECK: %19 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<4x8xf32>
  %19 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @accuracy
func.func @accuracy(%arg0: tensor<4xf32>) {
  // CHECK: %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-03, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-03, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK: %1 = stablehlo.tanh %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %1 = stablehlo.tanh %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  // CHECK: %2 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 1.000000e-05, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %2 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 1.000000e-05, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%arg0: tensor<6xi32>, %arg1: tensor<6xi1>, %arg2: tensor<6xui8>) {
  // CHECK: %0 = stablehlo.count_leading_zeros %arg0 : tensor<6xi32>
  %0 = stablehlo.count_leading_zeros %arg0 : tensor<6xi32>
  // CHECK: %1 = stablehlo.not %arg1 : tensor<6xi1>
  %1 = stablehlo.not %arg1 : tensor<6xi1>
  // CHECK: %2 = stablehlo.not %arg2 : tensor<6xui8>
  %2 = stablehlo.not %arg2 : tensor<6xui8>
  // CHECK: %3 = stablehlo.popcnt %arg2 : tensor<6xui8>
  %3 = stablehlo.popcnt %arg2 : tensor<6xui8>
  // CHECK: %4 = stablehlo.sign %arg0 : tensor<6xi32>
  %4 = stablehlo.sign %arg0 : tensor<6xi32>
  return
}

// CHECK-LABEL: func.func @complex_values
func.func @complex_values(%arg0: tensor<2xcomplex<f32>>) {
  // CHECK: %0 = stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %0 = stablehlo.abs %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: %1 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.real %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: %2 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %2 = stablehlo.imag %arg0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: %3 = stablehlo.exponential %arg0 : tensor<2xcomplex<f32>>
  %3 = stablehlo.exponential %arg0 : tensor<2xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%arg0: tensor<1xi32>, %arg1: tensor<40xf32>) {
  // CHECK: %0 = stablehlo.convert %arg0 : tensor<1xi32>
  %0 = stablehlo.convert %arg0 : tensor<1xi32>
  // CHECK: %1 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xbf16>
  %1 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xbf16>
  // CHECK: %2 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf8E4M3FN>
  %2 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf8E4M3FN>
  // CHECK: %3 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf8E5M2>
  %3 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf8E5M2>
  // CHECK: %4 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf16>
  %4 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf16>
  // CHECK: %5 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf64>
  %5 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xf64>
  // CHECK: %6 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xi4>
  %6 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xi4>
  // CHECK: %7 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xui64>
  %7 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xui64>
  // CHECK: %8 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xi1>
  %8 = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xi1>
  // CHECK: %9 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xcomplex<f32>>
  %9 = stablehlo.convert %arg1 : (tensor<40xf32>) -> tensor<40xcomplex<f32>>
  // CHECK: %10 = stablehlo.is_finite %arg1 : (tensor<40xf32>) -> tensor<40xi1>
  %10 = stablehlo.is_finite %arg1 : (tensor<40xf32>) -> tensor<40xi1>
  return
}
