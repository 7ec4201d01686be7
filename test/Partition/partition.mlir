// RUN: partopt-opt %s --partopt-insert-reshards --partopt-partition --partopt-verify-partitioned --canonicalize --split-input-file | FileCheck %s

// Unreduced to a split layout is a reduce-scatter, not an all-reduce and slice.
sdy.mesh @mesh = <["data"=4]>
// CHECK-LABEL: @stored_gradient
// CHECK-SAME: %arg0: tensor<2x16xf32> {partopt.global_type = tensor<8x16xf32>
func.func @stored_gradient(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                           %dy: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  // CHECK: %[[PARTIAL:.+]] = stablehlo.dot_general %arg0, %arg1
  // CHECK: %[[SHARD:.+]] = comm.reduce_scatter {"data"=4} sum dim = 0 %[[PARTIAL]] {{.*}} : (tensor<16x4xf32>) -> tensor<4x4xf32>
  // CHECK: return %[[SHARD]]
  %dw = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  return %dw : tensor<16x4xf32>
}

// -----

// Seven rows on four devices: the padding of a summed dimension is zero.
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: @uneven_sum
func.func @uneven_sum(%x: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[INDEX:.+]] = comm.axis_index {"x"=4}
  // CHECK: %[[VALID:.+]] = stablehlo.compare LT
  // CHECK: %[[MASKED:.+]] = stablehlo.select %[[VALID]], %arg0
  // CHECK: stablehlo.reduce(%[[MASKED]]
  // CHECK: comm.all_reduce {"x"=4} sum
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A table split by rows is looked up masked, and the sum brings the rows.
sdy.mesh @mesh = <["model"=2]>
// CHECK-LABEL: @embedding
func.func @embedding(%table: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
                     %ids: tensor<3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // CHECK: %[[ROWS:.+]] = "stablehlo.gather"(%arg0, {{.*}}) {{.*}} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  // CHECK: %[[OWN:.+]] = stablehlo.select {{.*}}, %[[ROWS]]
  // CHECK: comm.all_reduce {"model"=2} sum %[[OWN]]
  %r = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// Two all-to-alls instead of gathering all and slicing.
sdy.mesh @mesh = <["x"=4, "y"=2]>
// CHECK-LABEL: @reshard
func.func @reshard(%a: tensor<4x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>})
    -> (tensor<4x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
  // CHECK: comm.all_to_all {"x"=4} split_dim = 1 concat_dim = 2
  // CHECK: comm.all_to_all {"y"=2} split_dim = 1 concat_dim = 0
  // CHECK-NOT: comm.all_gather
  return %a : tensor<4x8x4xf32>
}

// -----

// A split iota counts from the device's offset.
sdy.mesh @mesh = <["x"=4]>
// CHECK-LABEL: @iota
func.func @iota() -> (tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: stablehlo.iota dim = 0 : tensor<3xi32>
  // CHECK: comm.axis_index {"x"=4}
  // CHECK: stablehlo.add
  %i = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<12xi32>
  return %i : tensor<12xi32>
}
