// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-shard-accumulators))' | FileCheck %s

// The iteration's part is padded and scattered, then summed over iterations; what
// is reduced across replicas comes behind that. Sums that somebody else reads, and
// other combiners, stay as they are.
// CHECK: partopt.notes = [{code = "accumulate"{{.*}}accumulated sharded over microbatches: full holds 20 bytes per device and scatters 12 per step, sharded 12 and 36
// CHECK-LABEL: func @main
// CHECK: %[[PAD:.+]] = stablehlo.pad %arg0
// CHECK: %[[PART:.+]] = comm.reduce_scatter {"data"=2} sum dim = 0 %[[PAD]]
// CHECK: %[[SHARD:.+]] = comm.all_reduce {"micro"=3} sum %[[PART]] : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: comm.all_reduce {"replica"=2} sum %[[SHARD]]
// CHECK: %[[READ:.+]] = comm.all_reduce {"micro"=3} sum %arg1
// CHECK: comm.reduce_scatter {"data"=2} sum dim = 0 %[[READ]]
// CHECK: %[[MAX:.+]] = comm.all_reduce {"micro"=3} max %arg1
// CHECK: comm.reduce_scatter {"data"=2} max dim = 0 %[[MAX]]
module attributes {partopt.time_axes = {micro = 3 : i64}, partopt.accumulate = "sharded"} {
  sdy.mesh @mesh = <["replica"=2, "data"=2, "micro"=3]>
  func.func @main(%g: tensor<5xf32>, %h: tensor<4xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = comm.all_reduce {"micro"=3} sum %g : (tensor<5xf32>) -> tensor<5xf32>
    %pad = stablehlo.pad %sum, %zero, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
    %part = comm.reduce_scatter {"data"=2} sum dim = 0 %pad : (tensor<6xf32>) -> tensor<3xf32>
    %all = comm.all_reduce {"replica"=2} sum %part : (tensor<3xf32>) -> tensor<3xf32>
    %read = comm.all_reduce {"micro"=3} sum %h : (tensor<4xf32>) -> tensor<4xf32>
    %its = comm.reduce_scatter {"data"=2} sum dim = 0 %read : (tensor<4xf32>) -> tensor<2xf32>
    %max = comm.all_reduce {"micro"=3} max %h : (tensor<4xf32>) -> tensor<4xf32>
    %its_max = comm.reduce_scatter {"data"=2} max dim = 0 %max : (tensor<4xf32>) -> tensor<2xf32>
    return %all, %its, %read, %its_max : tensor<3xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>
  }
}
