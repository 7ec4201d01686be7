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

// A stack behind a barrier is read row by row.
// CHECK-LABEL: @rows
// CHECK-NEXT: %[[FIRST:.*]] = stablehlo.slice %arg0 [0:1, 0:2]
// CHECK-NEXT: stablehlo.optimization_barrier %[[FIRST]] : tensor<1x2xf32>
// CHECK-NEXT: %[[SECOND:.*]] = stablehlo.slice %arg0 [1:2, 0:2]
// CHECK-NEXT: stablehlo.optimization_barrier %[[SECOND]] : tensor<1x2xf32>
// CHECK-NEXT: return
func.func @rows(%x: tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<2x2xf32>
  %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %2 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  return %1, %2 : tensor<1x2xf32>, tensor<1x2xf32>
}

// What reads all of it does so behind the barrier.
// CHECK-LABEL: @both
// CHECK-NEXT: %[[ALL:.*]] = stablehlo.optimization_barrier %arg0 : tensor<2x2xf32>
// CHECK-NEXT: %[[ROW:.*]] = stablehlo.slice %arg0 [0:1, 0:2]
// CHECK-NEXT: %[[APART:.*]] = stablehlo.optimization_barrier %[[ROW]] : tensor<1x2xf32>
// CHECK-NEXT: return %[[ALL]], %[[APART]]
func.func @both(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<1x2xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<2x2xf32>
  %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<1x2xf32>
}
