// RUN: partopt-opt %s --partopt-count-expert-load -split-input-file -verify-diagnostics | FileCheck %s

// A row of numbers that are not all zero is a token; they are counted by expert.
// CHECK-LABEL: func @scatter
// CHECK-SAME: -> (tensor<4x6x32xf32>, tensor<4xi32> {partopt.name = "expert_load[0]"})
func.func @scatter(%x: tensor<16x8xf32> {partopt.role = "batch"}, %w: tensor<4x8x32xf32> {partopt.role = "param"},
                   %place: tensor<16x2xi32> {partopt.role = "batch"}) -> tensor<4x6x32xf32> {
  %none = stablehlo.constant dense<0.0> : tensor<4x6x8xf32>
  // CHECK: %[[SENT:.+]] = "stablehlo.scatter"
  %sent = "stablehlo.scatter"(%none, %place, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x6x8xf32>, tensor<16x2xi32>, tensor<16x8xf32>) -> tensor<4x6x8xf32>
  // CHECK: %[[THERE:.+]] = stablehlo.compare NE, %[[SENT]],
  // CHECK: %[[ONES:.+]] = stablehlo.convert %[[THERE]] : (tensor<4x6x8xi1>) -> tensor<4x6x8xi32>
  // CHECK: %[[TOKENS:.+]] = stablehlo.reduce(%[[ONES]] {{.*}} applies stablehlo.maximum across dimensions = [2]
  // CHECK: %[[LOAD:.+]] = stablehlo.reduce(%[[TOKENS]] {{.*}} applies stablehlo.add across dimensions = [1]
  // CHECK: return %{{.+}}, %[[LOAD]]
  %made = stablehlo.dot_general %sent, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x6x8xf32>, tensor<4x8x32xf32>) -> tensor<4x6x32xf32>
  return %made : tensor<4x6x32xf32>
}

// -----

// expected-error@+1 {{--expert-load finds no experts: no product of routed tokens with stacked weights; leave the option out}}
func.func @none(%x: tensor<16x8xf32> {partopt.role = "batch"}) -> tensor<16x8xf32> {
  return %x : tensor<16x8xf32>
}
