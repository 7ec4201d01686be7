// RUN: partopt-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(partopt-form-time-loops))' | FileCheck %s

// What varies is in the loop, what does not before or behind it; the sum is carried,
// the batch sliced, and rows of a result are written where they belong.
// CHECK-LABEL: func @whole
// CHECK-SAME: %[[X:.+]]: tensor<8x4xf32>{{.*}}, %[[W:.+]]: tensor<4xf32>
// CHECK: %[[TWICE:.+]] = stablehlo.add %[[W]], %[[W]]
// CHECK: %[[WB:.+]] = stablehlo.broadcast_in_dim %[[TWICE]]
// CHECK-DAG: %[[ZERO:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[ROWS:.+]] = stablehlo.constant dense<0.000000e+00> : tensor<8x4xf32>
// CHECK: %{{.+}}, %[[LOOP:.+]]:2 = comm.loop_begin "micro" = 2(%[[ZERO]], %[[ROWS]])
// CHECK: %[[PART:.+]] = stablehlo.dynamic_slice %[[X]], %{{.*}}sizes = [4, 4]
// CHECK: %[[Y:.+]] = stablehlo.multiply %[[PART]], %[[WB]]
// CHECK: %[[S:.+]] = stablehlo.reduce(%[[Y]] init
// CHECK: %[[SUM:.+]] = stablehlo.add %[[LOOP]]#0, %[[S]]
// CHECK: %[[WRITTEN:.+]] = stablehlo.dynamic_update_slice %[[LOOP]]#1, %[[Y]]
// CHECK: %[[END:.+]]:2 = comm.loop_end(%[[SUM]], %[[WRITTEN]])
// CHECK: %[[NEW:.+]] = stablehlo.subtract %[[W]], %[[END]]#0
// CHECK: return %[[NEW]], %[[END]]#1 : tensor<4xf32>, tensor<8x4xf32>
module attributes {partopt.time_axes = {micro = 2 : i64}} {
  sdy.mesh @mesh = <["micro"=2]>
  func.func @whole(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}, {}]>},
                   %w: tensor<4xf32> {partopt.role = "param"})
      -> (tensor<4xf32>, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}, {}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %twice = stablehlo.add %w, %w : tensor<4xf32>
    %wb = stablehlo.broadcast_in_dim %twice, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %y = stablehlo.multiply %x, %wb : tensor<4x4xf32>
    %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %all = comm.all_reduce {"micro"=2} sum %s : (tensor<4xf32>) -> tensor<4xf32>
    %new = stablehlo.subtract %w, %all : tensor<4xf32>
    return %new, %y : tensor<4xf32>, tensor<4x4xf32>
  }
}

// -----

// A gather that each part of the step has of its own is made in every iteration,
// with what is made of it; one that is kept is made once.
// CHECK-LABEL: func @gathers
// CHECK: comm.all_gather {"data"=2} dim = 0 %arg2
// CHECK: comm.loop_begin
// CHECK: %[[ALL:.+]] = comm.all_gather {"data"=2} dim = 0 %arg1
// CHECK: stablehlo.negate %[[ALL]]
// CHECK: comm.loop_end
// CHECK-NOT: comm.all_gather
module attributes {partopt.time_axes = {micro = 2 : i64}} {
  sdy.mesh @mesh = <["data"=2, "micro"=2]>
  func.func @gathers(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "micro"}]>},
                     %w: tensor<2xf32> {partopt.role = "param"},
                     %v: tensor<2xf32> {partopt.role = "param"}) -> tensor<4xf32> {
    %all = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather = "forward"} : (tensor<2xf32>) -> tensor<4xf32>
    %kept = comm.all_gather {"data"=2} dim = 0 %v {partopt.storage_gather} : (tensor<2xf32>) -> tensor<4xf32>
    %n = stablehlo.negate %all : tensor<4xf32>
    %a = stablehlo.multiply %x, %n : tensor<4xf32>
    %b = stablehlo.multiply %a, %kept : tensor<4xf32>
    %s = comm.all_reduce {"micro"=2} sum %b : (tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}

// -----

// A statistic that parameters have a part in takes two loops: what the second needs
// of the first is kept where it took work, and made again where it did not.
// CHECK-LABEL: func @statistic
// CHECK: %{{.+}}, %[[FIRST:.+]]:2 = comm.loop_begin "micro" = 4(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<12x2xf32>)
// CHECK: %[[DOT:.+]] = stablehlo.dot_general
// CHECK: %[[Y:.+]] = stablehlo.tanh %[[DOT]]
// CHECK: %[[KEPT:.+]] = stablehlo.dynamic_update_slice %[[FIRST]]#1, %[[Y]]
// CHECK: %[[DONE:.+]]:2 = comm.loop_end(%{{.*}}, %[[KEPT]])
// CHECK: comm.loop_begin "micro" = 4
// CHECK-NOT: stablehlo.tanh
// CHECK: %[[READ:.+]] = stablehlo.dynamic_slice %[[DONE]]#1, %{{.*}}sizes = [3, 2]
// CHECK: stablehlo.subtract %[[READ]]
// CHECK: comm.loop_end
// CHECK-NOT: comm.loop_begin
module attributes {partopt.time_axes = {micro = 4 : i64}, partopt.batch_statistics = "exact"} {
  sdy.mesh @mesh = <["micro"=4]>
  func.func @statistic(%x: tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}, {}]>},
                       %w: tensor<5x2xf32> {partopt.role = "param"}) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    %y = stablehlo.tanh %h : tensor<3x2xf32>
    %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    %all = comm.all_reduce {"micro"=4} sum %s : (tensor<f32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %all, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %d = stablehlo.subtract %y, %b : tensor<3x2xf32>
    %q = stablehlo.multiply %d, %d : tensor<3x2xf32>
    %v = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
    %var = comm.all_reduce {"micro"=4} sum %v : (tensor<f32>) -> tensor<f32>
    return %var : tensor<f32>
  }
}
