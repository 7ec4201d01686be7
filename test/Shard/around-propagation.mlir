// The passes before and after propagation, one case each.
// RUN: partopt-opt %s --split-input-file --sdy-constant-or-scalar-splitter | FileCheck %s --check-prefix=SPLIT
// RUN: partopt-opt %s --split-input-file --sdy-constant-or-scalar-splitter --sdy-constant-or-scalar-merger | FileCheck %s --check-prefix=MERGE
// RUN: partopt-opt %s --split-input-file --sdy-apply-sharding-constraints | FileCheck %s --check-prefix=APPLY
// RUN: partopt-opt %s --split-input-file --sdy-sharding-constraint-to-reshard --sdy-remove-sharding-groups | FileCheck %s --check-prefix=RESHARD
// RUN: partopt-opt %s --split-input-file --sdy-close-shardings --partopt-complete-shardings | FileCheck %s --check-prefix=CLOSE
// RUN: partopt-opt %s --split-input-file --sdy-update-non-divisible-input-output-shardings --sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s --check-prefix=OUTER
// RUN: partopt-opt %s --split-input-file --partopt-alias-result-shardings | FileCheck %s --check-prefix=ALIAS

// Each use of a constant has its own copy, with the ops that made it.
// SPLIT-LABEL: func @constants
// SPLIT-COUNT-2: stablehlo.iota
// SPLIT-COUNT-2: stablehlo.convert
// MERGE-LABEL: func @constants
// MERGE-COUNT-1: stablehlo.iota
// MERGE-NOT: stablehlo.iota
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @constants(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  %1 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xf32>
  %2 = stablehlo.add %x, %1 : tensor<8xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// A closed constraint speaks of its value; an open one only of its uses; two
// that differ decide nothing. Later uses take the end of a chain.
// APPLY-LABEL: func @constraints
// APPLY: negate %arg0 {{.*}}<@mesh, [{"a"}]>
// APPLY: abs %{{.*}} : tensor<8xf32>
// APPLY: cosine %{{.*}} : tensor<8xf32>
// RESHARD-LABEL: func @constraints
// RESHARD-COUNT-4: sdy.reshard
// RESHARD-NOT: sharding_constraint
// RESHARD-NOT: sharding_group
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @constraints(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = stablehlo.abs %x : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %4 = stablehlo.cosine %x : tensor<8xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"a"}]> : tensor<8xf32>
  %6 = sdy.sharding_constraint %4 <@mesh, [{"b"}]> : tensor<8xf32>
  sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  return %1, %3, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// APPLY-LABEL: func @chain
// APPLY: %[[FIRST:.+]] = sdy.sharding_constraint %arg0
// APPLY: %[[LAST:.+]] = sdy.sharding_constraint %[[FIRST]]
// APPLY: negate %[[LAST]]
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}]> : tensor<8xf32>
  %2 = stablehlo.negate %x : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Open dimensions close, priorities and replicated axes go; values without
// sharding are replicated; scalars of a reducer have none.
// CLOSE-LABEL: func @close
// CLOSE-SAME: #sdy.sharding<@mesh, [{"a"}, {}]>
// CLOSE-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
// CLOSE: stablehlo.constant {{.*}}<@mesh, []>
// CLOSE: stablehlo.reduce{{.*}}<@mesh, [{}]>
// CLOSE-NOT: subtract {{.*}}@mesh
// CLOSE: return
sdy.mesh @mesh = <["a"=2, "b"=3]>
func.func @close(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}], replicated={"b"}>}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce"(%x, %0) <{dimensions = array<i64: 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.subtract %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Inputs and outputs keep the major axes that divide; sub-axes that
// propagation put into open dimensions go.
// OUTER-LABEL: func @outer
// OUTER-SAME: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// OUTER-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}
// OUTER-SAME: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}]>}
sdy.mesh @mesh = <["a"=2, "b"=3, "c"=4]>
func.func @outer(%x: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>},
                 %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c":(1)2, ?}]>},
                 %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}]>}) {
  return
}

// -----

// An argument's next value takes its sharding, unless it has one.
// ALIAS-LABEL: func @alias
// ALIAS-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @alias(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>, tf.aliasing_output = 0 : i32},
                 %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>, tf.aliasing_output = 1 : i32},
                 %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>, partopt.next_result = 3 : i32})
    -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<8xf32>, tensor<8xf32>) {
  return %x, %y, %x, %z : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
