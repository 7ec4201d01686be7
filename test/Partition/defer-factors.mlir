// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-defer-factors))' | FileCheck %s

// Both sums of what is divided by the late number are divided behind; the product that
// is squared keeps its factor.
// CHECK-LABEL: func.func @main
// CHECK: %[[ALL:.+]] = comm.all_reduce {"micro"=4} sum
// CHECK: %[[ROOT:.+]] = stablehlo.sqrt %[[ALL]]
// CHECK: %[[G:.+]] = comm.all_reduce {"micro"=4} sum %arg0
// CHECK: stablehlo.broadcast_in_dim %[[ROOT]]
// CHECK: %[[DIVIDED:.+]] = stablehlo.divide %[[G]]
// CHECK: %[[PART:.+]] = stablehlo.reduce(%arg0
// CHECK: %[[H:.+]] = comm.all_reduce {"micro"=4} sum %[[PART]]
// CHECK: %[[SCALED:.+]] = stablehlo.divide %[[H]], %[[ROOT]]
// CHECK: %[[SQUARE:.+]] = stablehlo.multiply %[[KEPT:.+]], %[[KEPT]]
// CHECK: %[[Q:.+]] = comm.all_reduce {"micro"=4} sum %[[SQUARE]]
// CHECK: return %[[DIVIDED]], %[[SCALED]], %[[Q]]
module attributes {partopt.time_axes = {micro = 4 : i64}} {
  sdy.mesh @mesh = <["micro"=4]>
  func.func @main(%x: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"micro"}]>, partopt.role = "batch"},
                  %w: tensor<f32> {partopt.role = "param"}) -> (tensor<3xf32>, tensor<f32>, tensor<3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %wb = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %y = stablehlo.multiply %x, %wb : tensor<3xf32>
    %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %all = comm.all_reduce {"micro"=4} sum %s : (tensor<f32>) -> tensor<f32>
    %root = stablehlo.sqrt %all : tensor<f32>
    %rb = stablehlo.broadcast_in_dim %root, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %d = stablehlo.divide %x, %rb : tensor<3xf32>
    %g = comm.all_reduce {"micro"=4} sum %d : (tensor<3xf32>) -> tensor<3xf32>
    %p = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %h = comm.all_reduce {"micro"=4} sum %p : (tensor<f32>) -> tensor<f32>
    %r2 = stablehlo.rsqrt %all : tensor<f32>
    %r2b = stablehlo.broadcast_in_dim %r2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %e = stablehlo.multiply %x, %r2b : tensor<3xf32>
    %ee = stablehlo.multiply %e, %e : tensor<3xf32>
    %q = comm.all_reduce {"micro"=4} sum %ee : (tensor<3xf32>) -> tensor<3xf32>
    return %g, %h, %q : tensor<3xf32>, tensor<f32>, tensor<3xf32>
  }
}
