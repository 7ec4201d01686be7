// Activations gathered a second time for the backward pass.
// RUN: partopt-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(partopt-regather-activations{axis=model}))' | FileCheck %s

// The product's input is gathered again with its transpose; the gather over another axis,
// the stored weight's and the one that the forward part alone reads stay single.
// CHECK-LABEL: func.func @step
// CHECK: %[[KEPT:.+]] = comm.all_gather {"model"=2} dim = 0 %[[SHARD:.+]] :
// CHECK: comm.all_gather {"data"=2}
// CHECK: %[[WEIGHT:.+]] = comm.all_gather {"model"=2} dim = 0 %arg0 {partopt.storage_gather}
// CHECK: dot_general %[[KEPT]], %[[WEIGHT]]
// CHECK: %[[AGAIN:.+]] = comm.all_gather {"model"=2} dim = 0 %[[SHARD]] {partopt.phase = "backward", partopt.regather, partopt.why = "gathers an activation again for the backward pass"}
// CHECK: %[[TURNED:.+]] = stablehlo.transpose %[[AGAIN]]
// CHECK: dot_general %[[TURNED]]
// CHECK-NOT: comm.all_gather
func.func @step(
    %w: tensor<2x4xf32> {tf.aliasing_output = 1 : i32, partopt.role = "param"},
    %x: tensor<4x4xf32> {partopt.role = "batch"}) -> (tensor<f32>, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.sine %x : tensor<4x4xf32>
  %all = comm.all_gather {"model"=2} dim = 0 %s : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %other = comm.all_gather {"data"=2} dim = 0 %s : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %weight = comm.all_gather {"model"=2} dim = 0 %w {partopt.storage_gather} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %y = stablehlo.dot_general %all, %weight, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %z = stablehlo.multiply %y, %other : tensor<8x4xf32>
  %t = stablehlo.transpose %all, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %u = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %v = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.add %u, %v : tensor<f32>
  %p = stablehlo.dot_general %t, %other, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %g = comm.reduce_scatter {"model"=2} sum dim = 0 %p : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %n = stablehlo.subtract %w, %g : tensor<2x4xf32>
  return %loss, %n : tensor<f32>, tensor<2x4xf32>
}

// -----

// Nothing to gather again is said.
// CHECK: module attributes {partopt.warnings = [{code = "sp-regather"
// CHECK-LABEL: func.func @forward
// CHECK: comm.all_gather
// CHECK-NOT: comm.all_gather
func.func @forward(%w: tensor<4x4xf32> {partopt.role = "param"}, %x: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %all = comm.all_gather {"model"=2} dim = 0 %x : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.dot_general %all, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
