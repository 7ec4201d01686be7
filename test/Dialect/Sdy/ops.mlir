// RUN: partopt-opt %s | FileCheck %s
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt %s -mlir-print-op-generic | partopt-opt | FileCheck %s
// RUN: partopt-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Every op in Shardy's text, pretty and generic.

sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
sdy.mesh @other_order = <["x"=2, "y"=4, "z"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]>

// CHECK-LABEL: func @annotations
func.func @annotations(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  // GENERIC: "sdy.sharding_constraint"(%{{.*}}) <{sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  // CHECK: sdy.reshard %{{.*}} <@mesh, [{"y"}, {}]> {note = "kept"} : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> {note = "kept"} : tensor<8x8xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id=3 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=3 : tensor<8x8xf32>
  // CHECK: sdy.propagation_barrier %{{.*}} allowed_direction=BACKWARD : tensor<8x8xf32>
  // GENERIC: "sdy.propagation_barrier"(%{{.*}}) <{allowed_direction = 2 : i32}>
  %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x8xf32>
  // CHECK: sdy.constant {a} dense<1.000000e+00> : tensor<8x8xf32>
  %3 = sdy.constant {a} dense<1.0> : tensor<8x8xf32>
  // CHECK: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  %4 = stablehlo.add %2, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// CHECK-LABEL: func @edges
func.func @edges(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  // CHECK: sdy.data_flow_edge %arg0 : tensor<8xf32>
  %0 = sdy.data_flow_edge %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  // CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK: sdy.func_data_flow_edge %arg1 : tensor<8xf32>
  %3 = sdy.func_data_flow_edge %arg1 : tensor<8xf32>
  return
}

// CHECK-LABEL: func @manual_computation
func.func @manual_computation(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%[[A:.+]]: tensor<4x8xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{.*}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"x"} (%a: tensor<4x8xf32>) {
    // Axes that are not manual may be constrained inside.
    // CHECK-NEXT: sdy.sharding_constraint %[[A]] <@mesh, [{}, {"y"}]> : tensor<4x8xf32>
    %1 = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<4x8xf32>
    %2 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    // CHECK: sdy.return %{{.*}} : tensor<8x8xf32>
    sdy.return %2 : tensor<8x8xf32>
  // CHECK-NEXT: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  // CHECK-NEXT: sdy.return
  // CHECK-NEXT: } : () -> ()
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func @named_computation
func.func @named_computation(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: sdy.named_computation<"f">(%arg0) (%[[A:.+]]: tensor<8xf32>) {
  // CHECK-NEXT: sdy.return %[[A]] : tensor<8xf32>
  %0 = sdy.named_computation<"f">(%arg0) (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.named_computation<"g">(%{{.*}}) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{?}]>] (%{{.*}}: tensor<8xf32>) {
  %1 = sdy.named_computation<"g">(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{?}]>] (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func @collectives
func.func @collectives(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  // CHECK: sdy.all_gather [{"y":(2)2}, {}] %arg0 out_sharding=<@mesh, [{"x", "y":(1)2}, {}]> : tensor<8x8xf32>
  // GENERIC: "sdy.all_gather"(%{{.*}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"y":(2)2}, {}]>, out_sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2}, {}]>}>
  %0 = sdy.all_gather [{"y":(2)2}, {}] %arg0 out_sharding=<@mesh, [{"x", "y":(1)2}, {}]> : tensor<8x8xf32>
  // A slice that continues a sub-axis merges with it.
  // CHECK: sdy.all_slice [{"y":(2)2}, {}] %{{.*}} out_sharding=<@mesh, [{"x", "y"}, {}]>
  %1 = sdy.all_slice [{"y":(2)2}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.all_to_all [{"y"}: 0->1] %{{.*}} out_sharding=<@mesh, [{"x"}, {"y"}]>
  // GENERIC: params = #sdy<all_to_all_param_list[{"y"}: 0->1]>
  %2 = sdy.all_to_all [{"y"}: 0->1] %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@mesh, [{"x"}, {"z"}]>
  %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"x"}, {"z"}]> : tensor<8x8xf32>
  // CHECK: sdy.collective_permute %{{.*}} out_sharding=<@other_order, [{"x"}, {"z"}]>
  %4 = sdy.collective_permute %3 out_sharding=<@other_order, [{"x"}, {"z"}]> : tensor<8x8xf32>
  // CHECK: sdy.sharded_to_unreduced [{}, {"z"}] %{{.*}} out_sharding=<@mesh, [{"x"}, {}], unreduced={"z"}>
  %5 = sdy.sharded_to_unreduced [{}, {"z"}] %3 out_sharding=<@mesh, [{"x"}, {}], unreduced={"z"}> : tensor<8x8xf32>
  // CHECK: sdy.replicated_to_unreduced {"y"} %{{.*}} out_sharding=<@mesh, [{"x"}, {}], unreduced={"y", "z"}>
  %6 = sdy.replicated_to_unreduced {"y"} %5 out_sharding=<@mesh, [{"x"}, {}], unreduced={"y", "z"}> : tensor<8x8xf32>
  // CHECK: sdy.all_reduce {"y", "z"} %{{.*}} out_sharding=<@mesh, [{"x"}, {}]>
  // GENERIC: reduction_axes = #sdy<axis_ref_list{"y", "z"}>
  %7 = sdy.all_reduce {"y", "z"} %6 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // CHECK: sdy.reduce_scatter [{}, {"z"}] %{{.*}} out_sharding=<@mesh, [{"x"}, {"z"}], unreduced={"y"}>
  %8 = sdy.reduce_scatter [{}, {"z"}] %6 out_sharding=<@mesh, [{"x"}, {"z"}], unreduced={"y"}> : tensor<8x8xf32>
  return
}

// The combiner is written only if it is not the sum.
// CHECK-LABEL: func @combiners
func.func @combiners(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %arg1: tensor<8xf32>) {
  // CHECK: sdy.all_reduce max {"x"} %arg0
  %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK: sdy.reduce_scatter max [{"x"}] %arg0
  %1 = sdy.reduce_scatter max [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  // CHECK: sdy.all_reduce min {"x"} %arg1
  %2 = sdy.all_reduce min {"x"} %arg1 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  // CHECK: sdy.all_reduce {"x"} %arg1
  %3 = sdy.all_reduce sum {"x"} %arg1 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}
