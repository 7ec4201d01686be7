// RUN: partopt-opt %s --partopt-apply-expert-parallel -split-input-file | FileCheck %s
// RUN: partopt-opt %s --partopt-apply-expert-parallel=batch=false -split-input-file | FileCheck %s --check-prefix=ROWS

// Tokens that a one-hot sends: the weights, their bias and optimizer state are
// split by expert, tokens in front of the products and behind them too. The
// router has the experts' dimension, but no expert's weights.
// CHECK-LABEL: func @sent
// CHECK-SAME: %arg0: tensor<4x16x8xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}
// CHECK-SAME: %arg1: tensor<8x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg2: tensor<4x8x32xf32> {partopt.role = "param", partopt.storage_override = {expert = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>
// CHECK-SAME: %arg3: tensor<4x32xf32> {partopt.role = "param", partopt.storage_override = {expert = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>}
// CHECK-SAME: %arg4: tensor<4x8x32xf32> {partopt.role = "opt", partopt.storage_override = {expert = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}
// CHECK-SAME: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>}
// CHECK: %[[SENT:.+]] = stablehlo.dot_general %{{.+}}, %arg0
// CHECK: %[[HERE:.+]] = sdy.sharding_constraint %[[SENT]] <@mesh, [{?}, {"expert", ?}, {?}]>
// CHECK: %[[MADE:.+]] = stablehlo.dot_general %[[HERE]], %arg2
// CHECK: sdy.sharding_constraint %[[MADE]] <@mesh, [{"expert", ?}, {?}, {?}]>
// The router's product is none of theirs.
// CHECK-NOT: sdy.sharding_constraint
// Where another recipe splits the batch.
// ROWS-LABEL: func @sent
// ROWS-SAME: %arg0: tensor<4x16x8xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}
sdy.mesh @mesh = <["expert"=2]>
func.func @sent(%x: tensor<4x16x8xf32> {partopt.role = "batch"}, %gate: tensor<8x4xf32> {partopt.role = "param"},
                %w: tensor<4x8x32xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %b: tensor<4x32xf32> {partopt.role = "param"}, %m: tensor<4x8x32xf32> {partopt.role = "opt"})
    -> (tensor<4x4x32xf32>, tensor<4x8x32xf32>) {
  %scores = stablehlo.dot_general %x, %gate, contracting_dims = [2] x [0] : (tensor<4x16x8xf32>, tensor<8x4xf32>) -> tensor<4x16x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %best = stablehlo.reduce(%scores init: %zero) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x4xf32>, tensor<f32>) -> tensor<4x16xf32>
  %all = stablehlo.broadcast_in_dim %best, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x4xf32>
  %is = stablehlo.compare EQ, %scores, %all : (tensor<4x16x4xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xi1>
  %hot = stablehlo.convert %is : (tensor<4x16x4xi1>) -> tensor<4x16x4xf32>
  %sent = stablehlo.dot_general %hot, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x16x4xf32>, tensor<4x16x8xf32>) -> tensor<4x4x8xf32>
  %made = stablehlo.dot_general %sent, %w, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x4x8xf32>, tensor<4x8x32xf32>) -> tensor<4x4x32xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<4x32xf32>) -> tensor<4x4x32xf32>
  %out = stablehlo.add %made, %bias : tensor<4x4x32xf32>
  %next = stablehlo.subtract %w, %m : tensor<4x8x32xf32>
  return %out, %next : tensor<4x4x32xf32>, tensor<4x8x32xf32>
}

// -----

// Every expert sees every token and a mask takes its own, as JAX writes
// ragged_dot: the experts are summed over. Tokens are whole in front of the mask.
// CHECK-LABEL: func @masked
// CHECK-SAME: %arg1: tensor<4x8x32xf32> {{.*}}[{"expert"}, {}, {}]
// CHECK: %[[WHOLE:.+]] = sdy.sharding_constraint %{{.+}} <@mesh, [{?}, {?}], replicated={"expert"}>
// CHECK: stablehlo.broadcast_in_dim %[[WHOLE]]
// CHECK: %[[OWN:.+]] = stablehlo.select
// CHECK: %[[HERE:.+]] = sdy.sharding_constraint %[[OWN]] <@mesh, [{"expert", ?}, {?}, {?}]>
// CHECK: stablehlo.dot_general %[[HERE]], %arg1
// CHECK-NOT: sdy.sharding_constraint
sdy.mesh @mesh = <["expert"=2]>
func.func @masked(%x: tensor<16x8xf32> {partopt.role = "batch"}, %w: tensor<4x8x32xf32> {partopt.role = "param"},
                  %first: tensor<4xi32> {partopt.role = "batch"}) -> tensor<16x32xf32> {
  %tokens = stablehlo.negate %x : tensor<16x8xf32>
  %all = stablehlo.broadcast_in_dim %tokens, dims = [1, 2] : (tensor<16x8xf32>) -> tensor<4x16x8xf32>
  %row = stablehlo.iota dim = 1 : tensor<4x16x8xi32>
  %from = stablehlo.broadcast_in_dim %first, dims = [0] : (tensor<4xi32>) -> tensor<4x16x8xi32>
  %is = stablehlo.compare GE, %row, %from : (tensor<4x16x8xi32>, tensor<4x16x8xi32>) -> tensor<4x16x8xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<4x16x8xf32>
  %own = stablehlo.select %is, %all, %zero : tensor<4x16x8xi1>, tensor<4x16x8xf32>
  %made = stablehlo.dot_general %own, %w, contracting_dims = [2, 0] x [1, 0] : (tensor<4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<16x32xf32>
  return %made : tensor<16x32xf32>
}
