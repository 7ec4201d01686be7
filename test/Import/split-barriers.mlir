// RUN: partopt-opt --partopt-split-barriers %s | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = stablehlo.tanh %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier %[[A]] : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.optimization_barrier %arg1 : tensor<2xf32>
// CHECK-NEXT: %[[D:.*]] = stablehlo.optimization_barrier %[[B]] : tensor<4xf32>
// CHECK-NEXT: return %[[D]], %[[C]]
func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1:3 = stablehlo.optimization_barrier %0, %y, %x : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
  %3 = stablehlo.optimization_barrier %1#0 : tensor<4xf32>
  return %3, %1#1 : tensor<4xf32>, tensor<2xf32>
}
