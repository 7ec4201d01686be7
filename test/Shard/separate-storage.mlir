// Storage axes of parameters: gathered for use, kept for the update.
// RUN: partopt-opt %s --split-input-file --partopt-separate-storage | FileCheck %s
// RUN: partopt-opt %s --split-input-file --partopt-propagate | FileCheck %s --check-prefix=FINAL
// RUN: partopt-opt %s --split-input-file --partopt-separate-storage=storage=compute | FileCheck %s --check-prefix=COMPUTE

// The batch takes "data" in both products, so the weight is gathered once; its
// update keeps the stored layout, which reaches back to the gradient's product.
// CHECK-LABEL: func @step
// CHECK-SAME: partopt.storage_axes = #sdy<list_of_axis_ref_lists[{"data"}, {}]>
// CHECK: %[[GATHERED:.+]] = sdy.sharding_constraint %arg0 <@mesh, [{}, {"model"}]> {partopt.storage_gather}
// CHECK: dot_general %arg1, %[[GATHERED]]
// CHECK: dot_general {{.*}}, %[[GATHERED]]
// CHECK: subtract %arg0
// FINAL-LABEL: func @step
// FINAL: sdy.reshard %arg0 <@mesh, [{}, {"model"}]> {partopt.storage_gather}
// FINAL: dot_general {{.*}}<@mesh, [{"data"}, {"model"}]>
// FINAL: dot_general {{.*}}<@mesh, [{"data"}, {}]>
// FINAL: dot_general {{.*}}<@mesh, [{"data"}, {"model"}]>{{.*}} -> tensor<16x4xf32>
// FINAL: subtract {{.*}}<@mesh, [{"data"}, {"model"}]>
// COMPUTE-LABEL: func @step
// COMPUTE-NOT: storage_gather
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @step(
    %w: tensor<16x4xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
    %x: tensor<8x16xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, tensor<8x16xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %dx = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %n = stablehlo.subtract %w, %g : tensor<16x4xf32>
  return %n, %dx : tensor<16x4xf32>, tensor<8x16xf32>
}

// -----

// The conflict is behind ops of the parameter alone (a transposed weight, a
// broadcast bias); the gather comes before them.
// CHECK-LABEL: func @views
// CHECK: %[[W:.+]] = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> {partopt.storage_gather}
// CHECK: transpose %[[W]]
// CHECK: %[[B:.+]] = sdy.sharding_constraint %arg1 <@mesh, [{}]> {partopt.storage_gather}
// CHECK: broadcast_in_dim %[[B]]
sdy.mesh @mesh = <["data"=2]>
func.func @views(
    %w: tensor<4x16xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>},
    %b: tensor<4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>},
    %x: tensor<8x16xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x4xf32> {
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %y = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %z = stablehlo.add %y, %c : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// -----

// Experts against expert weights: the same factor has the axis, it computes.
// CHECK-LABEL: func @experts
// CHECK-NOT: storage
sdy.mesh @mesh = <["expert"=2]>
func.func @experts(
    %w: tensor<2x16x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>},
    %x: tensor<8x16xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>},
    %d: tensor<2x8xf32> {partopt.role = "scalar"}) -> tensor<2x16x4xf32> {
  %e = stablehlo.dot_general %d, %x, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  %y = stablehlo.dot_general %e, %w, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x16xf32>, tensor<2x16x4xf32>) -> tensor<2x4xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [0, 2] : (tensor<2x4xf32>) -> tensor<2x16x4xf32>
  return %b : tensor<2x16x4xf32>
}

// -----

// An argument decides for itself.
// CHECK-LABEL: func @override
// CHECK-NOT: storage_gather
sdy.mesh @mesh = <["data"=2]>
func.func @override(
    %w: tensor<16x4xf32> {partopt.role = "param", partopt.storage_override = "compute", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %x: tensor<8x16xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x4xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A stack of layers that a loop slices is gathered before the loop.
// CHECK-LABEL: func @layers
// CHECK: %[[STACK:.+]] = sdy.sharding_constraint %arg0 <@mesh, [{}, {}, {}]> {partopt.storage_gather}
// CHECK: while({{.*}} = %[[STACK]]
sdy.mesh @mesh = <["data"=2]>
func.func @layers(
    %w: tensor<4x8x8xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
    %x: tensor<8x8xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %s = %w) : tensor<i32>, tensor<8x8xf32>, tensor<4x8x8xf32>
   cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %l = stablehlo.dynamic_slice %s, %i, %z, %z, sizes = [1, 8, 8] : (tensor<4x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %m = stablehlo.reshape %l : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %y = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %next, %y, %s : tensor<i32>, tensor<8x8xf32>, tensor<4x8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// A layer's row of a stack is gathered by itself, once for all that read it.
// CHECK-LABEL: func @stack
// CHECK: %[[ROW:.+]] = stablehlo.slice %arg0 [0:1, 0:4, 0:4]
// CHECK-NEXT: %[[FIRST:.+]] = sdy.sharding_constraint %[[ROW]] <@mesh, [{}, {}, {}]> {partopt.storage_gather}
// CHECK-NEXT: reshape %[[FIRST]]
// CHECK: %[[OTHER:.+]] = stablehlo.slice %arg0 [1:2, 0:4, 0:4]
// CHECK-NEXT: sdy.sharding_constraint %[[OTHER]]
// CHECK-NOT: sdy.sharding_constraint
// CHECK: reshape %[[FIRST]]
// FINAL-LABEL: func @stack
// FINAL: stablehlo.slice %arg0 [0:1, 0:4, 0:4] {{.*}}<@mesh, [{}, {"data"}, {}]>
// FINAL-NEXT: sdy.reshard {{.*}} <@mesh, [{}, {}, {}]> {partopt.storage_gather}
sdy.mesh @mesh = <["data"=2]>
func.func @stack(
    %w: tensor<2x4x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>},
    %x: tensor<8x4xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %s0 = stablehlo.slice %w [0:1, 0:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
  %w0 = stablehlo.reshape %s0 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %y0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %s1 = stablehlo.slice %w [1:2, 0:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
  %w1 = stablehlo.reshape %s1 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %y1 = stablehlo.dot_general %y0, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %again = stablehlo.slice %w [0:1, 0:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<1x4x4xf32>
  %wagain = stablehlo.reshape %again : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %dx = stablehlo.dot_general %y1, %wagain, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %y1, %dx : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A weight that is cast behind a barrier, for the backward part, is one like any
// other: whole, and not a part that the batch would have to be moved for.
// CHECK-LABEL: func @checkpoint
// CHECK: %[[GATHERED:.+]] = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> {partopt.storage_gather}
// CHECK-NEXT: stablehlo.convert %[[GATHERED]]
// CHECK: stablehlo.optimization_barrier %[[GATHERED]]
// CHECK-NOT: sdy.sharding_constraint
// FINAL-LABEL: func @checkpoint
// FINAL: sdy.reshard %arg0 <@mesh, [{}, {}]> {partopt.storage_gather}
// FINAL: optimization_barrier {{.*}}<@mesh, [{}, {}]>
// FINAL-NOT: sdy.reshard
sdy.mesh @mesh = <["data"=2]>
func.func @checkpoint(
    %w: tensor<4x4xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %x: tensor<8x4xbf16> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<8x4xbf16>, tensor<8x4xbf16>) {
  %cast = stablehlo.convert %w : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %y = stablehlo.dot_general %x, %cast, contracting_dims = [1] x [0] : (tensor<8x4xbf16>, tensor<4x4xbf16>) -> tensor<8x4xbf16>
  %apart = stablehlo.optimization_barrier %w : tensor<4x4xf32>
  %again = stablehlo.convert %apart : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  %dx = stablehlo.dot_general %y, %again, contracting_dims = [1] x [1] : (tensor<8x4xbf16>, tensor<4x4xbf16>) -> tensor<8x4xbf16>
  return %y, %dx : tensor<8x4xbf16>, tensor<8x4xbf16>
}
