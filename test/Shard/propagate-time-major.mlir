// RUN: partopt-opt %s --partopt-propagate-time | FileCheck %s

// An axis in time that is major goes where rows go, before the axes in space: also
// where one of these has moved to the experts.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: %arg0: tensor<8x6x4xf32> {{{.*}}sdy.sharding = #sdy.sharding<@mesh, [{"micro", "data", "expert"}, {}, {}]>
// CHECK: stablehlo.transpose %arg0{{.*}}<@mesh, [{"expert", ?}, {"micro", "data", ?}, {?}]>
// CHECK: stablehlo.tanh{{.*}}<@mesh, [{"micro", "data", "expert", ?}, {?}, {?}]>
module attributes {partopt.time_axes = {micro = 2 : i64}, partopt.time_major} {
  sdy.mesh @mesh = <["data"=2, "expert"=2]>
  func.func @exchange(%x: tensor<8x6x4xf32> {partopt.role = "batch", partopt.time_dim = 0 : i64, sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {}, {}]>}) -> tensor<8x6x4xf32> {
    %e = stablehlo.transpose %x, dims = [1, 0, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"expert"}, {"data", ?}, {?}]>]>} : (tensor<8x6x4xf32>) -> tensor<6x8x4xf32>
    %b = stablehlo.transpose %e, dims = [1, 0, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", "expert", ?}, {?}, {?}]>]>} : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
    %t = stablehlo.tanh %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", "expert", ?}, {?}, {?}]>]>} : tensor<8x6x4xf32>
    return %t : tensor<8x6x4xf32>
  }
}
