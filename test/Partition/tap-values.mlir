// A tap is no use: the sum of two partial products is still reduced once, and
// the products are reduced for the taps alone.
// RUN: partopt-opt %s -partopt-insert-reshards | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: partopt-opt %s -partopt-tap-values -partopt-insert-reshards | FileCheck %s --check-prefixes=CHECK,TAPS
// RUN: partopt-opt %s -partopt-tap-values="first=1 last=2" | FileCheck %s --check-prefix=RANGE
// RUN: partopt-opt %s -partopt-tap-values -partopt-insert-reshards -partopt-partition -partopt-verify-partitioned | FileCheck %s --check-prefix=LOCAL

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: func.func @main
// PLAIN-NOT: partopt.tap
// TAPS-SAME: tensor<4x4xf32> {partopt.name = "value 0", partopt.tap,
// TAPS-SAME: tensor<4x4xf32> {partopt.name = "value 1", partopt.tap,
// TAPS-SAME: tensor<4x4xf32> {partopt.name = "value 2", partopt.tap,
// TAPS-SAME: tensor<4x4xf32> {partopt.name = "value 3", partopt.tap,

// RANGE: func.func @main
// RANGE-NOT: "value 0"
// RANGE-SAME: tensor<4x4xf32> {partopt.name = "value 1", partopt.tap})
// RANGE: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg2
// RANGE: return %{{.*}}, %[[DOT]]

// LOCAL-COUNT-3: comm.all_reduce
// LOCAL-NOT: comm.all_reduce
func.func @main(
    %x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %z: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // CHECK: %[[A:.*]] = stablehlo.dot_general
  // CHECK-SAME: unreduced={"data"}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[B:.*]] = stablehlo.dot_general
  // CHECK-SAME: unreduced={"data"}
  %1 = stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]]
  // CHECK-SAME: unreduced={"data"}
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<4x4xf32>
  // CHECK: %[[WHOLE:.*]] = sdy.reshard %[[SUM]]
  // CHECK: %[[TANH:.*]] = stablehlo.tanh %[[WHOLE]]
  %3 = stablehlo.tanh %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<4x4xf32>
  // TAPS: %[[TAP_A:.*]] = sdy.reshard %[[A]]
  // TAPS: %[[TAP_B:.*]] = sdy.reshard %[[B]]
  // PLAIN: return %[[TANH]] :
  // TAPS: return %[[TANH]], %[[TAP_A]], %[[TAP_B]], %[[WHOLE]], %[[TANH]] :
  return %3 : tensor<4x4xf32>
}
