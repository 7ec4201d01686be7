// RUN: partopt-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(partopt-form-time-loops))' | FileCheck %s

// Rows that are numbered by iteration, then by device, are a device's own, one
// iteration behind the other: its index among them is by device first. Behind the
// loop that is how shardings say it.
// CHECK-LABEL: func @numbered
// CHECK-SAME: %[[X:.+]]: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert", "micro"}]>})
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert", "micro"}]>})
// CHECK: %[[I:.+]], %{{.+}} = comm.loop_begin "micro" = 2
// CHECK: stablehlo.dynamic_slice %[[X]]
// CHECK: %[[DEVICE:.+]] = comm.axis_index {"expert"=2}
// CHECK: %[[FIRST:.+]] = stablehlo.multiply %[[DEVICE]], %{{.+}}
// CHECK: stablehlo.add %[[FIRST]], %{{.+}}
module attributes {partopt.time_axes = {micro = 2 : i64}, partopt.time_major} {
  sdy.mesh @mesh = <["expert"=2, "micro"=2]>
  func.func @numbered(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro", "expert"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro", "expert"}]>}) {
    %i = comm.axis_index {"micro"=2, "expert"=2} : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %y = stablehlo.multiply %x, %b : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

// Behind an exchange a device has rows of several, which do not lie together.
module attributes {partopt.time_axes = {micro = 2 : i64}, partopt.time_major} {
  sdy.mesh @mesh = <["expert"=2, "micro"=2]>
  func.func @exchanged(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro", "expert"}]>}) -> tensor<f32> {
    // expected-error@+1 {{needs the numbers of the batch's rows where experts have exchanged them}}
    %i = comm.axis_index {"micro"=2} : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %s = comm.all_reduce {"micro"=2} sum %f : (tensor<f32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}

// -----

// A result of exchanged rows.
module attributes {partopt.time_axes = {micro = 2 : i64}, partopt.time_major} {
  sdy.mesh @mesh = <["expert"=2, "micro"=2]>
  func.func @result(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro", "expert"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>}) {
    // expected-error@+1 {{the rows of the microbatches do not lie one behind the other here}}
    %all = comm.all_gather {"expert"=2} dim = 0 %x : (tensor<4xf32>) -> tensor<8xf32>
    return %all : tensor<8xf32>
  }
}
