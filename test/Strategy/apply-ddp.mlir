// RUN: partopt-opt %s --partopt-apply-ddp | FileCheck %s

// The batch is split by rows, the rest is replicated; a result that takes a
// donated buffer gets its layout and the loss stays open.
sdy.mesh @mesh = <["data"=4]>
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<8x2xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg1: tensor<4x8xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// CHECK-SAME: %arg2: tensor<i32> {partopt.role = "scalar", sdy.sharding = #sdy.sharding<@mesh, []>}
// CHECK-SAME: -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x2xf32>)
func.func @main(%w: tensor<8x2xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32},
                %x: tensor<4x8xf32> {partopt.role = "batch"},
                %n: tensor<i32> {partopt.role = "scalar"}) -> (tensor<8x2xf32>, tensor<4x2xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %w, %y : tensor<8x2xf32>, tensor<4x2xf32>
}
