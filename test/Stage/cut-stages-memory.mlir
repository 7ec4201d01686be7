// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}))' | FileCheck %s --check-prefix=TIME
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 memory=800}))' | FileCheck %s --check-prefix=FITS
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 memory=100}))' | FileCheck %s --check-prefix=FITS

// A small weight that is used four times, and two large ones. By time alone both
// large ones are the second stage's. With 800 bytes for each stage it has one of
// them alone: 256 + 512 and 512. Where no cut fits, the fullest stage needs least.
// TIME: stage 1 of 2 begins here, first: 50 % of the estimated time, 32 bytes per microbatch and device go up to it"
// FITS: stage 0 of 2 begins here, w: 74 % of the estimated time, 768 bytes of parameters, state and kept values by estimate
// FITS: stage 1 of 2 begins here, second: 26 % of the estimated time, 64 bytes per microbatch and device go up to it, 512 bytes of parameters, state and kept values by estimate
// TIME: dot_general {{.*}}partopt.stage = 1{{.*}} (tensor<1x8xf32>, tensor<8x16xf32>)
// FITS: dot_general {{.*}}partopt.stage = 0{{.*}} (tensor<1x8xf32>, tensor<8x16xf32>)
// FITS-NEXT: dot_general {{.*}}partopt.stage = 1{{.*}} (tensor<1x16xf32>, tensor<16x8xf32>)
func.func @main(%w: tensor<8x8xf32> {partopt.role = "param", partopt.layer = "w"},
                %b0: tensor<8x16xf32> {partopt.role = "param", partopt.layer = "first"},
                %b1: tensor<16x8xf32> {partopt.role = "param", partopt.layer = "second"},
                %x: tensor<4x8xf32> {partopt.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %i, %l = comm.loop_begin "micro" = 4 (%zero) : (tensor<f32>) -> (tensor<i32>, tensor<f32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %h0 = stablehlo.dot_general %rows, %w, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %h1 = stablehlo.dot_general %h0, %w, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %h2 = stablehlo.dot_general %h1, %w, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %h3 = stablehlo.dot_general %h2, %w, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %h4 = stablehlo.dot_general %h3, %b0, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x16xf32>) -> tensor<1x16xf32>
  %h5 = stablehlo.dot_general %h4, %b1, contracting_dims = [1] x [0] : (tensor<1x16xf32>, tensor<16x8xf32>) -> tensor<1x8xf32>
  %sum = stablehlo.reduce(%h5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x8xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.add %l, %sum : tensor<f32>
  %all = comm.loop_end (%n) : (tensor<f32>) -> tensor<f32>
  return %all : tensor<f32>
}
