// What each buffer is used for, on the program with its kernels: a stored
// parameter is gathered, its gradient scattered and taken by the update.
// RUN: partopt-opt %s -split-input-file -partopt-lower-to-plan | FileCheck %s

sdy.mesh @mesh = <["data"=2]>

func.func private @k0(%a: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %0 = stablehlo.tanh %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @k1(%a: tensor<4x8xf32>) -> tensor<f32> attributes {partopt.kernel} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// The update: decayed moment, then the parameter.
func.func private @k2(%w: tensor<4x8xf32>, %m: tensor<4x8xf32>, %g: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {partopt.kernel} {
  %rate = stablehlo.constant dense<0.5> : tensor<4x8xf32>
  %0 = stablehlo.multiply %m, %rate : tensor<4x8xf32>
  %1 = stablehlo.add %0, %g : tensor<4x8xf32>
  %2 = stablehlo.multiply %1, %rate : tensor<4x8xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<4x8xf32>
  return %3, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: plan.program @main
func.func @main(%w: tensor<4x8xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32},
    %m: tensor<4x8xf32> {partopt.role = "opt", tf.aliasing_output = 1 : i32},
    %x: tensor<4x8xf32> {partopt.role = "batch"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32> {partopt.loss}) {
  // CHECK: %[[W:.+]] = plan.buffer resident{{.*}} {holds = [#plan.held<parameters from 0>]}
  // CHECK: %[[M:.+]] = plan.buffer resident{{.*}} {holds = [#plan.held<optimizer_state from 0>]}
  // CHECK: %[[X:.+]] = plan.buffer resident{{.*}} {holds = [#plan.held<inputs from 0>]}
  // CHECK: %[[FULL:.+]] = plan.buffer arena{{.*}} {holds = [#plan.held<gathered from 0>]}
  // CHECK: %[[HIDDEN:.+]] = plan.buffer arena{{.*}} {holds = [#plan.held<activations from 2>]}
  // CHECK: %[[OUT:.+]] = plan.buffer arena[{{[0-9]+}} : 128] live[3, 4]{{$}}
  // CHECK: %[[LOSS:.+]] = plan.buffer arena[{{[0-9]+}} : 4]
  // CHECK: %[[GRADIENT:.+]] = plan.buffer arena[{{[0-9]+}} : 256]{{.*}} {holds = [#plan.held<gradients from 5>]}
  // CHECK: %[[SHARD:.+]] = plan.buffer arena[{{[0-9]+}} : 128]{{.*}} {holds = [#plan.held<gradients from 6>]}
  %full = comm.all_gather {"data"=2} dim = 0 %w : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %hidden = func.call @k0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %out = stablehlo.dot_general %hidden, %full, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %loss = func.call @k1(%out) : (tensor<4x8xf32>) -> tensor<f32>
  %g = stablehlo.dot_general %hidden, %x, contracting_dims = [0] x [0]
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %shard = comm.reduce_scatter {"data"=2} sum dim = 0 %g : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %new:2 = func.call @k2(%w, %m, %shard)
    : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %new#0, %new#1, %loss : tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>
}
