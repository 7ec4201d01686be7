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

// Keys behind their query are masked: blocks are halved, and halves moved so that
// each device has an early and a late one. Two of four pairs of halves are computed
// per step, the second one by where the block is from.
// CHECK-LABEL: func @causal
func.func @causal(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 2 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %values = comm.all_gather {"context"=4} dim = 0 %v {partopt.ring = {attention = 2 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %t = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  // CHECK-DAG: %[[EARLY:.+]] = stablehlo.slice %arg0 [0:2, 0:8]
  // CHECK-DAG: %[[EVEN:.+]] = comm.permute {"context"=4} to = [0, 2, 3, 1] %[[EARLY]]
  // CHECK-DAG: %[[LATE:.+]] = stablehlo.slice %arg0 [2:4, 0:8]
  // CHECK-DAG: %[[ODD:.+]] = comm.permute {"context"=4} to = [1, 3, 2, 0] %[[LATE]]
  // CHECK-DAG: %[[Q0:.+]] = stablehlo.select %{{.+}}, %[[EVEN]], %[[ODD]]
  // CHECK-DAG: %[[Q1:.+]] = stablehlo.select %{{.+}}, %[[ODD]], %[[EVEN]]
  %r = comm.axis_index {"context"=4} : tensor<i32>
  %width = stablehlo.constant dense<4> : tensor<i32>
  %first = stablehlo.multiply %r, %width : tensor<i32>
  %firsts = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
  %i = stablehlo.iota dim = 0 : tensor<4x16xi32>
  %kp = stablehlo.iota dim = 1 : tensor<4x16xi32>
  %qp = stablehlo.add %i, %firsts : tensor<4x16xi32>
  %seen = stablehlo.compare GE, %qp, %kp, SIGNED : (tensor<4x16xi32>, tensor<4x16xi32>) -> tensor<4x16xi1>
  %neg = stablehlo.constant dense<-1.0e+09> : tensor<4x16xf32>
  %s = stablehlo.select %seen, %t, %neg : tensor<4x16xi1>, tensor<4x16xf32>
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<2x2xf32>
  // CHECK: %[[INDEX:.+]], %[[NOW:.+]]:10 = comm.loop_begin "context" = 3
  // CHECK: stablehlo.dot_general %[[Q1]], %[[NOW]]#0, {{.*}} -> tensor<2x2xf32>
  // CHECK: %[[BEFORE:.+]] = stablehlo.compare LT
  // CHECK-DAG: %[[Q:.+]] = stablehlo.select %[[BEFORE]], %[[Q0]], %[[Q1]]
  // CHECK-DAG: %[[K:.+]] = stablehlo.select %[[BEFORE]], %[[NOW]]#0, %[[NOW]]#2
  // CHECK: stablehlo.dot_general %[[Q]], %[[K]], {{.*}} -> tensor<2x2xf32>
  // CHECK: comm.loop_end
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %d = stablehlo.subtract %s, %mb : tensor<4x16xf32>
  %e = stablehlo.exponential %d : tensor<4x16xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %p = stablehlo.divide %e, %lb : tensor<4x16xf32>
  %o = stablehlo.dot_general %p, %values, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.concatenate
  return %o : tensor<4x8xf32>
}

// A mask of keys before the query is not causal: whole blocks go around.
// CHECK-LABEL: func @anticausal
func.func @anticausal(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %keys = comm.all_gather {"context"=4} dim = 0 %k {partopt.ring = {attention = 3 : i64}} : (tensor<4x8xf32>) -> tensor<16x8xf32>
  %t = stablehlo.dot_general %q, %keys, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %r = comm.axis_index {"context"=4} : tensor<i32>
  %width = stablehlo.constant dense<4> : tensor<i32>
  %first = stablehlo.multiply %r, %width : tensor<i32>
  %firsts = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<i32>) -> tensor<4x16xi32>
  %i = stablehlo.iota dim = 0 : tensor<4x16xi32>
  %kp = stablehlo.iota dim = 1 : tensor<4x16xi32>
  %qp = stablehlo.add %i, %firsts : tensor<4x16xi32>
  %seen = stablehlo.compare LE, %qp, %kp, SIGNED : (tensor<4x16xi32>, tensor<4x16xi32>) -> tensor<4x16xi1>
  %neg = stablehlo.constant dense<-1.0e+09> : tensor<4x16xf32>
  %s = stablehlo.select %seen, %t, %neg : tensor<4x16xi1>, tensor<4x16xf32>
  // CHECK-NOT: comm.permute {"context"=4} to = [0, 2, 3, 1]
  // CHECK: comm.loop_begin "context" = 3(%arg1,
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<4x4xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
  %d = stablehlo.subtract %s, %mb : tensor<4x16xf32>
  %e = stablehlo.exponential %d : tensor<4x16xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %l : tensor<4xf32>
}
