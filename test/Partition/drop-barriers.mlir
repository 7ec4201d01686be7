// RUN: partopt-opt --partopt-drop-barriers -verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = stablehlo.tanh %arg0
// CHECK-NEXT: stablehlo.multiply %[[A]], %arg1
// CHECK-NOT: optimization_barrier
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  // expected-warning@+1 {{recomputation (jax.checkpoint) is merged with what it repeats in this version: the values are the same, the memory is that of the model without it (2 barriers)}}
  %1:2 = stablehlo.optimization_barrier %0, %y : tensor<4xf32>, tensor<4xf32>
  %2 = stablehlo.multiply %1#0, %1#1 : tensor<4xf32>
  %3 = stablehlo.optimization_barrier %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
