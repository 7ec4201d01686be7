// RUN: partopt-opt %s --partopt-form-ring | FileCheck %s

// Scores of four queries and the four keys of the block that is there; sums are
// scaled when the maximum grows, and divided after the last block, which nothing
// sends on.
// CHECK-LABEL: func @forward
func.func @forward(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 0 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %values = comm.all_gather {"context"=4} dim = 0 %v {partopt.ring = {attention = 0 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  // CHECK-NOT: comm.all_gather
  // CHECK: %[[INDEX:.+]], %[[NOW:.+]]:5 = comm.loop_begin "context" = 3(%arg1, %arg2, {{.*}}) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>)
  // CHECK-DAG: %[[NEXT_K:.+]] = comm.permute {"context"=4} to = [1, 2, 3, 0] %[[NOW]]#0
  // CHECK-DAG: %[[NEXT_V:.+]] = comm.permute {"context"=4} to = [1, 2, 3, 0] %[[NOW]]#1
  // CHECK: %[[S:.+]] = stablehlo.dot_general %arg0, %[[NOW]]#0, {{.*}} -> tensor<4x4xf32>
  %s = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  // CHECK: %[[HERE:.+]] = stablehlo.reduce(%[[S]] init: {{.*}}) applies stablehlo.maximum
  // CHECK: %[[MAX:.+]] = stablehlo.maximum %[[NOW]]#2, %[[HERE]]
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %d = stablehlo.subtract %s, %mb : tensor<4x16xf32>
  // CHECK: %[[E:.+]] = stablehlo.exponential {{.*}} : tensor<4x4xf32>
  %e = stablehlo.exponential %d : tensor<4x16xf32>
  // CHECK: stablehlo.reduce(%[[E]] init: {{.*}}) applies stablehlo.add
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %p = stablehlo.divide %e, %lb : tensor<4x16xf32>
  // CHECK: stablehlo.dot_general %[[E]], %[[NOW]]#1
  // CHECK: %[[LAST:.+]]:5 = comm.loop_end(%[[NEXT_K]], %[[NEXT_V]], %[[MAX]], {{.*}})
  // CHECK-NOT: comm.
  // CHECK: stablehlo.dot_general %arg0, %[[LAST]]#0
  // CHECK: stablehlo.divide {{.*}} : tensor<4x1xf32>
  %o = stablehlo.dot_general %p, %values, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  // CHECK-NOT: tensor<4x16xf32>
  return %o : tensor<4x8xf32>
}

// Scores that something else reads keep their gathers.
// CHECK-LABEL: func @read_elsewhere
func.func @read_elsewhere(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4x16xf32> {
  // CHECK: comm.all_gather {"context"=4} dim = 0 %arg1 :
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 1 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %s = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}
