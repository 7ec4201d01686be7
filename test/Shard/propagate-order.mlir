// Rounds: user priorities, elementwise first; edges, barriers, groups, rules.
// RUN: partopt-opt %s --split-input-file --sdy-user-priority-propagate | FileCheck %s

// The dimension of priority 0 is spread before the one of priority 1.
// CHECK-LABEL: func @priority
// CHECK: dot_general {{.*}}<@mesh, [{?}, {"a", ?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @priority(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1, {?}]>},
                    %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// The sum takes what its elementwise user has before what the product offers.
// CHECK-LABEL: func @elementwise_first
// CHECK: dot_general {{.*}}<@mesh, [{?}, {"a", ?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @elementwise_first(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %w: tensor<16x8xf32>,
                             %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %y : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// All values of a loop's edge agree: start, argument, yielded value, result.
// CHECK-LABEL: func @loop
// CHECK: while{{.*}}[<@mesh, []>, <@mesh, [{"a", ?}]>]
// CHECK: negate {{.*}}<@mesh, [{"a", ?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @loop(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%j = %i, %y = %x) : tensor<i32>, tensor<8xf32>
   cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %j, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %k = stablehlo.add %j, %one : tensor<i32>
    %z = stablehlo.negate %y : tensor<8xf32>
    stablehlo.return %k, %z : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}

// -----

// A barrier lets shardings through in its direction only.
// CHECK-LABEL: func @barrier
// CHECK-SAME: %arg0: tensor<8xf32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// CHECK: propagation_barrier %arg1 {{.*}}<@mesh, [{"a", ?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @barrier(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8xf32>
  %1 = sdy.propagation_barrier %y allowed_direction=FORWARD : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Members of a group have the same sharding without any op between them.
// CHECK-LABEL: func @group
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
sdy.mesh @mesh = <["a"=2]>
func.func @group(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8xf32>
  return
}

// -----

// The user's own rule is the one that counts.
// CHECK-LABEL: func @custom
// CHECK: custom_call {{.*}}<@mesh, [{?}, {"a", ?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @custom(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @swap(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=8}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
