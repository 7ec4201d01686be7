// RUN: partopt-opt %s -partopt-drop-shardings | FileCheck %s

// Nothing of sdy is left, the values flow on.
// CHECK-NOT: sdy
// CHECK-LABEL: func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32>
// CHECK-NEXT: %[[NEG:.+]] = stablehlo.negate %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[NEG]]
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<4xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<4xf32>
  sdy.sharding_group %1 group_id=0 : tensor<4xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<4xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>} : tensor<4xf32>
  return %3 : tensor<4xf32>
}
