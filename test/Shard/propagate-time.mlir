// RUN: partopt-opt %s --partopt-propagate-time | FileCheck %s

// The axis spreads from batch arguments, minor to the axes in space and past closed
// dimensions; parameters, and results that take their buffers, never take it; a sum
// over rows is unreduced over it.
// CHECK: sdy.mesh @mesh = <["data"=2, "micro"=4]> {partopt.device_ids = array<i64: 1, 0>}
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<16x4xf32> {{{.*}}sdy.sharding = #sdy.sharding<@mesh, [{"data", "micro"}, {}]>
// CHECK-SAME: %arg1: tensor<4x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>
// CHECK-SAME: -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
// CHECK: %[[Y:.+]] = stablehlo.dot_general %arg0, %arg1{{.*}}<@mesh, [{"data", "micro", ?}, {?}]>
// CHECK: stablehlo.tanh %[[Y]]{{.*}}<@mesh, [{"data", "micro", ?}, {?}]>
// CHECK: stablehlo.dot_general
// CHECK-NOT: "micro"
module attributes {partopt.time_axes = {micro = 4 : i64}} {
  sdy.mesh @mesh = <["data"=2], device_ids=[1, 0]>
  func.func @main(%x: tensor<16x4xf32> {partopt.role = "batch", partopt.time_dim = 0 : i64, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                  %w: tensor<4x4xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32}) -> tensor<4x4xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x4xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
    %t = stablehlo.tanh %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<16x4xf32>
    %g = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
    return %g : tensor<4x4xf32>
  }
}
