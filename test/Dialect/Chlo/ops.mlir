// Special functions and top_k, in the form that JAX prints.
// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt --mlir-print-op-generic %s | partopt-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%arg0: tensor<8x8xf32>) {
  // CHECK: %0 = chlo.acos %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %0 = chlo.acos %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %1 = chlo.acosh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = chlo.acosh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %2 = chlo.asin %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = chlo.asin %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %3 = chlo.asinh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = chlo.asinh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %4 = chlo.atan %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %4 = chlo.atan %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %5 = chlo.atanh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %5 = chlo.atanh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %6 = chlo.bessel_i1e %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %6 = chlo.bessel_i1e %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %7 = chlo.conj %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %7 = chlo.conj %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %8 = chlo.cosh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %8 = chlo.cosh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %9 = chlo.digamma %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %9 = chlo.digamma %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %10 = chlo.erf %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %10 = chlo.erf %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %11 = chlo.erf_inv %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %11 = chlo.erf_inv %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %12 = chlo.erfc %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %12 = chlo.erfc %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %13 = chlo.lgamma %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %13 = chlo.lgamma %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %14 = chlo.sinh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %14 = chlo.sinh %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %15 = chlo.square %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %15 = chlo.square %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: %16 = chlo.tan %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  %16 = chlo.tan %arg0 : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%arg0: tensor<8xf32>) {
  // CHECK: %0 = chlo.is_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  %0 = chlo.is_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  // CHECK: %1 = chlo.is_neg_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  %1 = chlo.is_neg_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  // CHECK: %2 = chlo.is_pos_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  %2 = chlo.is_pos_inf %arg0 : tensor<8xf32> -> tensor<8xi1>
  return
}

// CHECK-LABEL: func.func @two_operands
func.func @two_operands(%arg0: tensor<8xf32>) {
  // CHECK: %0 = chlo.next_after %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %0 = chlo.next_after %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: %1 = chlo.polygamma %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %1 = chlo.polygamma %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: %2 = chlo.zeta %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %2 = chlo.zeta %arg0, %arg0 : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%arg0: tensor<8x16x8xf32>) {
  // CHECK: %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8x16x8xf32> -> (tensor<8x16x2xf32>, tensor<8x16x2xi32>)
  %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<8x16x8xf32> -> (tensor<8x16x2xf32>, tensor<8x16x2xi32>)
  return
}
