// RUN: partopt-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(partopt-micro-statistics))' | FileCheck %s

// The iteration reads its own estimate; the running mean is made of the whole sum; the
// reported square is that of each iteration, averaged.
// CHECK-LABEL: func @main
// CHECK: %[[S:.+]] = stablehlo.reduce(%arg0
// CHECK: %[[ALL:.+]] = comm.all_reduce {"micro"=4} sum %[[S]]
// CHECK: %[[OWN:.+]] = stablehlo.multiply %[[S]], %{{.*}} : tensor<f32>
// CHECK: %[[MEAN:.+]] = stablehlo.divide %[[ALL]]
// CHECK: %[[OWNMEAN:.+]] = stablehlo.divide %[[OWN]]
// CHECK: %[[B:.+]] = stablehlo.broadcast_in_dim %[[OWNMEAN]]
// CHECK: stablehlo.subtract %{{.*}}, %[[B]]
// CHECK: %[[RUNNING:.+]] = stablehlo.add %arg1, %[[MEAN]]
// CHECK: return %[[RUNNING]]
module attributes {partopt.time_axes = {micro = 4 : i64}, partopt.batch_statistics = "micro"} {
  sdy.mesh @mesh = <["micro"=4]>
  func.func @main(%x: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>, partopt.role = "state"},
                  %m: tensor<f32> {partopt.role = "state", tf.aliasing_output = 0 : i32})
      -> (tensor<f32>, tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<12.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %all = comm.all_reduce {"micro"=4} sum %s : (tensor<f32>) -> tensor<f32>
    %mean = stablehlo.divide %all, %n : tensor<f32>
    %b = stablehlo.broadcast_in_dim %mean, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %d = stablehlo.subtract %x, %b : tensor<3xf32>
    %running = stablehlo.add %m, %mean : tensor<f32>
    return %running, %d : tensor<f32>, tensor<3xf32>
  }
}

// -----

// CHECK-LABEL: func @metric
// CHECK: %[[MAX:.+]] = comm.all_reduce {"micro"=4} max %[[M:.+]] :
// CHECK: stablehlo.multiply
// CHECK-NEXT: %[[SQUARE:.+]] = stablehlo.multiply %[[OWN:.+]], %[[OWN]] : tensor<f32>
// CHECK: %[[TOTAL:.+]] = comm.all_reduce {"micro"=4} sum %[[SQUARE]]
// CHECK: %[[AVERAGE:.+]] = stablehlo.divide %[[TOTAL]]
// CHECK: return %[[AVERAGE]], %{{.*}}, %[[MAX]]
module attributes {partopt.time_axes = {micro = 4 : i64}, partopt.batch_statistics = "micro"} {
  sdy.mesh @mesh = <["micro"=4]>
  func.func @metric(%x: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>, partopt.role = "state"})
      -> (tensor<f32>, tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>}, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %all = comm.all_reduce {"micro"=4} sum %s : (tensor<f32>) -> tensor<f32>
    %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %max = comm.all_reduce {"micro"=4} max %m : (tensor<f32>) -> tensor<f32>
    %square = stablehlo.multiply %all, %all : tensor<f32>
    %b = stablehlo.broadcast_in_dim %all, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c = stablehlo.broadcast_in_dim %max, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %d = stablehlo.subtract %x, %b : tensor<3xf32>
    %e = stablehlo.subtract %d, %c : tensor<3xf32>
    return %square, %e, %max : tensor<f32>, tensor<3xf32>, tensor<f32>
  }
}
