// RUN: partopt-opt %s --partopt-apply-context-parallel=form=gather | FileCheck %s --check-prefixes=CHECK,GATHER
// RUN: partopt-opt %s --partopt-apply-context-parallel | FileCheck %s --check-prefixes=CHECK,HEADS
// The axis may be called seq.
// RUN: sed s/context/seq/ %s | partopt-opt --partopt-apply-context-parallel | FileCheck %s --check-prefix=SEQ

sdy.mesh @mesh = <["context"=4, "model"=2]>

// Tokens and positions have the sequence; the mask is made in parts. Heads that
// another recipe splits over model keep that axis in front.
// CHECK-LABEL: func @attention
// CHECK-SAME: %arg0: tensor<2x16x32xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{}, {"context"}, {}]>}
// CHECK-SAME: %arg1: tensor<16x32xf32> {partopt.role = "param", partopt.storage_override = {context = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"context"}, {}]>}
// CHECK-SAME: %arg2: tensor<32x8x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}
// CHECK-SAME: %arg3: tensor<32x8x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}
// SEQ-LABEL: func @attention
// SEQ-SAME: %arg0: tensor<2x16x32xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{}, {"seq"}, {}]>}
func.func @attention(%x: tensor<2x16x32xf32> {partopt.role = "batch"}, %pos: tensor<16x32xf32> {partopt.role = "param"},
                     %wq: tensor<32x8x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                     %wk: tensor<32x8x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>})
    -> tensor<2x8x16x4xf32> {
  %p = stablehlo.broadcast_in_dim %pos, dims = [1, 2] : (tensor<16x32xf32>) -> tensor<2x16x32xf32>
  %h = stablehlo.add %x, %p : tensor<2x16x32xf32>
  // CHECK: %[[Q:.+]] = stablehlo.dot_general %{{.+}}, %arg2
  // CHECK: %[[Q_PART:.+]] = sdy.sharding_constraint %[[Q]] <@mesh, [{?}, {"context", ?}, {?}, {?}]>
  // HEADS: %[[Q_HEADS:.+]] = sdy.sharding_constraint %[[Q_PART]] <@mesh, [{?}, {?}, {"model", "context", ?}, {?}]>
  %q = stablehlo.dot_general %h, %wq, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8x4xf32>) -> tensor<2x16x8x4xf32>
  // CHECK: %[[K:.+]] = stablehlo.dot_general %{{.+}}, %arg3
  // CHECK: %[[K_PART:.+]] = sdy.sharding_constraint %[[K]] <@mesh, [{?}, {"context", ?}, {?}, {?}]>
  // GATHER: %[[K_WHOLE:.+]] = sdy.sharding_constraint %[[K_PART]] <@mesh, [{?}, {?}, {?}, {?}], replicated={"context"}>
  %k = stablehlo.dot_general %h, %wk, contracting_dims = [2] x [0] : (tensor<2x16x32xf32>, tensor<32x8x4xf32>) -> tensor<2x16x8x4xf32>
  // GATHER: stablehlo.dot_general %[[Q_PART]], %[[K_WHOLE]]
  // HEADS: stablehlo.dot_general %[[Q_HEADS]],
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x8x4xf32>, tensor<2x16x8x4xf32>) -> tensor<2x8x16x16xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x16x16xf32>, tensor<f32>) -> tensor<2x8x16xf32>
  %all = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<2x8x16xf32>) -> tensor<2x8x16x16xf32>
  %weights = stablehlo.divide %scores, %all : tensor<2x8x16x16xf32>
  // GATHER: %[[OUT:.+]] = stablehlo.dot_general %{{.+}}, %[[K_WHOLE]]
  // HEADS: %[[MADE:.+]] = stablehlo.dot_general %{{.+}}, %{{.+}}, batching_dims = [0, 1] x [0, 2]
  // HEADS: %[[OUT:.+]] = sdy.sharding_constraint %[[MADE]] <@mesh, [{?}, {"model", "context", ?}, {?}, {?}]>
  // CHECK: %[[BACK:.+]] = sdy.sharding_constraint %[[OUT]] <@mesh, [{?}, {?}, {"context", ?}, {?}]>
  // CHECK: return %[[BACK]]
  %out = stablehlo.dot_general %weights, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x8x16x16xf32>, tensor<2x16x8x4xf32>) -> tensor<2x8x16x4xf32>
  return %out : tensor<2x8x16x4xf32>
}
