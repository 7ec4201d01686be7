// Reads of stacked values take what was stacked; complete stacks are one
// concatenation.
// RUN: partopt-opt %s --split-input-file --partopt-forward-updates | FileCheck %s

// Row 0 is read behind the update of row 1; both rows are the whole stack.
// CHECK-LABEL: func @stack
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1x4xf32>, %[[B:[a-z0-9]+]]: tensor<1x4xf32>
// CHECK-NOT: dynamic_update_slice
// CHECK: %[[STACK:.+]] = stablehlo.concatenate %[[A]], %[[B]], dim = 0
// CHECK: return %[[STACK]], %[[A]]
func.func @stack(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>, %old: tensor<2x4xf32>)
    -> (tensor<2x4xf32>, tensor<1x4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %old, %a, %c0, %c0 : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = stablehlo.dynamic_update_slice %0, %b, %c1, %c0 : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %2 = stablehlo.slice %1 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<1x4xf32>
}

// -----

// The same row twice: the later update counts, row 1 is the old one's, and a
// read across both stays. A start beyond the end is moved inside.
// CHECK-LABEL: func @overwritten
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1x4xf32>, %[[B:[a-z0-9]+]]: tensor<1x4xf32>, %[[OLD:[a-z0-9]+]]
// CHECK: %[[FIRST:.+]] = stablehlo.dynamic_update_slice %[[OLD]], %[[A]]
// CHECK: %[[SECOND:.+]] = stablehlo.dynamic_update_slice %[[FIRST]], %[[B]]
// CHECK: %[[ROW:.+]] = stablehlo.slice %[[OLD]] [0:1, 0:4]
// CHECK: %[[PART:.+]] = stablehlo.slice %[[SECOND]] [1:3, 1:3]
// CHECK: return %[[B]], %[[ROW]], %[[PART]]
func.func @overwritten(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>, %old: tensor<3x4xf32>)
    -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<2x2xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %old, %a, %c2, %c0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  %1 = stablehlo.dynamic_update_slice %0, %b, %c9, %c0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = stablehlo.slice %1 [2:3, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %3 = stablehlo.slice %1 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %4 = stablehlo.slice %1 [1:3, 1:3] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  return %2, %3, %4 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<2x2xf32>
}

// -----

// A place that is known at run time only ends the search.
// CHECK-LABEL: func @dynamic
// CHECK: %[[NEW:.+]] = stablehlo.dynamic_update_slice
// CHECK: stablehlo.slice %[[NEW]]
func.func @dynamic(%a: tensor<1xf32>, %i: tensor<i32>, %old: tensor<2xf32>) -> tensor<1xf32> {
  %0 = stablehlo.dynamic_update_slice %old, %a, %i : (tensor<2xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
