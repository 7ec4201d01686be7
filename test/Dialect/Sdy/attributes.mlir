// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt %s -mlir-print-op-generic | partopt-opt | FileCheck %s

// Every form of mesh, sharding and rule in Shardy's text.

// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
// CHECK: sdy.mesh @reordered = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @reordered = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
// The order 0, 1, ... is the default and is dropped.
// CHECK: sdy.mesh @plain = <["x"=2]>
sdy.mesh @plain = <["x"=2], device_ids=[0, 1]>
// CHECK: sdy.mesh @empty = <[]>
sdy.mesh @empty = <[]>
// CHECK: sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @maximal = <[], device_ids=[3]>
// CHECK: sdy.mesh @of_one = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
sdy.mesh @of_one = <["x"=1]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}

// CHECK-LABEL: func @arguments
func.func @arguments(
    // CHECK-SAME: #sdy.sharding<@mesh, [{"x", "y"}, {}]>
    %several_axes: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"x", ?}, {?}]>
    %open: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"x"}p1, {?}p20]>
    %priority: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}p20]>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"y":(2)2}, {"z":(1)2}]>
    %sub_axes: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {"z":(1)2}]>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2}]>
    %swapped: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2}]>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"x"}], replicated={"y", "z":(1)2}>
    %replicated: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y", "z":(1)2}>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{}], replicated={"z"}, unreduced={"y"}>
    %either_order: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}, replicated={"z"}>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{}], unreduced=max{"y"}>
    %max: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"y"}>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{}], unreduced=min{"x", "y":(1)2}>
    %min: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"x", "y":(1)2}>},
    // Sum is the default; `=` may be missing.
    // CHECK-SAME: #sdy.sharding<@mesh, [{}], unreduced={"y"}>
    %sum: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=sum{"y"}>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{}], unreduced={"y"}>
    %no_equal: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced{"y"}>},
    // CHECK-SAME: #sdy.sharding<mesh<["q"=2]>, [{"q"}]>
    %inlined: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=2]>, [{"q"}]>},
    // CHECK-SAME: #sdy.sharding<@maximal, []>
    %one_device: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal, []>},
    // CHECK-SAME: #sdy.sharding<@mesh, []>
    %scalar: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>},
    // CHECK-SAME: #sdy.sharding<@mesh, [{"x"}]>
    %tuple: tuple<tensor<8xf32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    // CHECK-SAME: -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>})
    -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  return %scalar : tensor<f32>
}

// CHECK-LABEL: func @rules
func.func @rules(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>, %s: tensor<f32>) {
  // CHECK: #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=8, k=4} reduction={k}>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k],[k, j])->([i, j]) {i=2, j=8, k=4} reduction={k}>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  // CHECK: #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>
  %1 = stablehlo.reshape %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>} : (tensor<2x4xf32>) -> tensor<8xf32>
  // CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=4} need_replication={i} permutation={j} blocked_propagation={i, j}, custom>
  %2 = stablehlo.negate %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=4} need_replication={i} permutation={j} blocked_propagation={i, j}, custom>} : tensor<2x4xf32>
  // CHECK: #sdy.op_sharding_rule<([])->([])>
  %3 = stablehlo.negate %s {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : tensor<f32>
  return
}

// Factors after z are z_1, z_2, ...; they join into one word.
// CHECK-LABEL: func @many_factors
func.func @many_factors(%a: tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) {
  // CHECK: ([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, yzz_1z_2]) {i=2,
  // CHECK-SAME: z_2=2}
  %0 = stablehlo.reshape %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, yzz_1z_2]) {i=2, j=2, k=2, l=2, m=2, n=2, o=2, p=2, q=2, r=2, s=2, t=2, u=2, v=2, w=2, x=2, y=2, z=2, z_1=2, z_2=2}>} : (tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x16xf32>
  return
}
