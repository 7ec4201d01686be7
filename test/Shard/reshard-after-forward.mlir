// Stored parameters gathered a second time for the backward pass.
// RUN: partopt-opt %s --split-input-file --partopt-reshard-after-forward | FileCheck %s

// The weight and what the forward pass makes of it alone serve the forward
// product; the backward product reads copies of both. The bias has no use after
// the forward pass and the optimizer reads the stored weight.
// CHECK-LABEL: func @step
// CHECK-SAME: %[[STORED:[a-z0-9]+]]: tensor<16x4xf32>
// CHECK: %[[KEPT:.+]] = sdy.reshard %[[STORED]] {{.*}} {partopt.storage_gather = "forward"}
// CHECK: %[[BIAS:.+]] = sdy.reshard %{{.*}} {partopt.storage_gather = "forward"}
// CHECK: dot_general %{{.*}}, %[[KEPT]]
// CHECK: %[[TURNED:.+]] = stablehlo.transpose %[[KEPT]]
// CHECK: dot_general %{{.*}}, %[[TURNED]]
// CHECK: %[[AGAIN:.+]] = sdy.reshard %[[STORED]] {{.*}} {partopt.storage_gather = "backward"}
// CHECK: %[[TURNED_AGAIN:.+]] = stablehlo.transpose %[[AGAIN]]
// CHECK: dot_general %{{.*}}, %[[TURNED_AGAIN]]
// CHECK-NOT: sdy.reshard
// CHECK: subtract %[[STORED]]
sdy.mesh @mesh = <["data"=2]>
func.func @step(
    %w: tensor<16x4xf32> {tf.aliasing_output = 1 : i32, partopt.role = "param"},
    %b: tensor<4xf32>, %x: tensor<8x16xf32>) -> (tensor<f32>, tensor<16x4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %all = sdy.reshard %w <@mesh, [{}, {}]> {partopt.storage_gather} : tensor<16x4xf32>
  %bias = sdy.reshard %b <@mesh, [{}]> {partopt.storage_gather} : tensor<4xf32>
  %y = stablehlo.dot_general %x, %all, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %bb = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %z = stablehlo.add %y, %bb : tensor<8x4xf32>
  %t = stablehlo.transpose %all, dims = [1, 0] : (tensor<16x4xf32>) -> tensor<4x16xf32>
  %u = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %loss = stablehlo.reduce(%u init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %v = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %g = stablehlo.dot_general %v, %z, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %norm = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.subtract %w, %g : tensor<16x4xf32>
  return %loss, %n, %norm : tensor<f32>, tensor<16x4xf32>, tensor<f32>
}

// -----

// A scan over layers: the forward loop keeps the first copy.
// CHECK-LABEL: func @scan
// CHECK: %[[KEPT:.+]] = sdy.reshard %arg0 {{.*}} {partopt.storage_gather = "forward"}
// CHECK: stablehlo.while({{.*}} = %[[KEPT]]
// CHECK: %[[AGAIN:.+]] = sdy.reshard %arg0 {{.*}} {partopt.storage_gather = "backward"}
// CHECK: stablehlo.multiply %[[AGAIN]]
sdy.mesh @mesh = <["data"=2]>
func.func @scan(%w: tensor<4xf32> {partopt.role = "param"}, %x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %all = sdy.reshard %w <@mesh, [{}]> {partopt.storage_gather} : tensor<4xf32>
  %loop:2 = stablehlo.while(%p = %all, %c = %x) : tensor<4xf32>, tensor<4xf32>
   cond {
    %m = stablehlo.reduce(%c init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %go = stablehlo.compare LT, %m, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %d = stablehlo.add %c, %p : tensor<4xf32>
    stablehlo.return %p, %d : tensor<4xf32>, tensor<4xf32>
  }
  %loss = stablehlo.reduce(%loop#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.multiply %all, %x : tensor<4xf32>
  return %loss, %g : tensor<f32>, tensor<4xf32>
}

// -----

// Nothing tells forward from backward: gathered once, and said so in the plan.
// CHECK: module attributes {partopt.warnings = [{code = "reshard_after_forward"
// CHECK-LABEL: func @no_loss
// CHECK: sdy.reshard
// CHECK-NOT: sdy.reshard
sdy.mesh @mesh = <["data"=2]>
func.func @no_loss(%w: tensor<4xf32> {partopt.role = "param"}, %x: tensor<4xf32>) -> tensor<4xf32> {
  %all = sdy.reshard %w <@mesh, [{}]> {partopt.storage_gather} : tensor<4xf32>
  %y = stablehlo.multiply %all, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
