// RUN: partopt-opt %s --partopt-apply-context-parallel=form=ring | FileCheck %s
// RUN: partopt-opt %s --partopt-apply-context-parallel=form=auto:ring | FileCheck %s --check-prefix=FALLBACK

sdy.mesh @mesh = <["context"=4]>

// A ring is gathering with a mark on what makes keys whole, and marks on what
// recomputation leaves alone. Where memory asked for it, another form may take its
// place.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<2x16x8x4xf32> {partopt.role = "batch"}, %k: tensor<2x16x8x4xf32> {partopt.role = "batch"})
    -> tensor<2x8x16x4xf32> {
  // CHECK: %[[K_PART:.+]] = sdy.sharding_constraint %arg1 <@mesh, [{?}, {"context", ?}, {?}, {?}]>
  // CHECK: %[[K_WHOLE:.+]] = sdy.sharding_constraint %[[K_PART]] <@mesh, [{?}, {?}, {?}, {?}], replicated={"context"}> {partopt.keep, partopt.ring = {attention = 0 : i64, required}}
  // FALLBACK: sdy.sharding_constraint {{.*}} replicated={"context"}> {partopt.keep, partopt.ring = {attention = 0 : i64}}
  // CHECK: %[[Q_PART:.+]] = sdy.sharding_constraint %arg0 <@mesh, [{?}, {"context", ?}, {?}, {?}]>
  // CHECK-NOT: partopt.ring
  // CHECK: stablehlo.dot_general %[[Q_PART]], %[[K_WHOLE]], {{.*}} {partopt.keep}
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x8x4xf32>, tensor<2x16x8x4xf32>) -> tensor<2x8x16x16xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x16x16xf32>, tensor<f32>) -> tensor<2x8x16xf32>
  %all = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<2x8x16xf32>) -> tensor<2x8x16x16xf32>
  // CHECK: stablehlo.subtract {{.*}} {partopt.keep}
  %d = stablehlo.subtract %scores, %all : tensor<2x8x16x16xf32>
  %out = stablehlo.dot_general %d, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x8x16x16xf32>, tensor<2x16x8x4xf32>) -> tensor<2x8x16x4xf32>
  return %out : tensor<2x8x16x4xf32>
}
