// RUN: partopt-opt %s --partopt-apply-expert-parallel -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{strategy ep splits experts over mesh axis "expert", which the mesh does not have (it is data=2); give it with --mesh expert=N, or name another axis with --axis ep=NAME}}
func.func @main(%x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Heads come from a projection and are put together again: no experts.
sdy.mesh @mesh = <["expert"=2]>
// expected-error@+1 {{strategy ep finds no experts: no product of routed tokens with stacked weights}}
func.func @main(%x: tensor<4x8xf32> {partopt.role = "batch"}, %w: tensor<8x2x16xf32> {partopt.role = "param"},
                %each: tensor<2x16x16xf32> {partopt.role = "param"}, %o: tensor<2x16x8xf32> {partopt.role = "param"}) -> tensor<4x8xf32> {
  %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2x16xf32>) -> tensor<4x2x16xf32>
  %r = stablehlo.dot_general %q, %each, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x2x16xf32>, tensor<2x16x16xf32>) -> tensor<2x4x16xf32>
  %y = stablehlo.dot_general %r, %o, contracting_dims = [0, 2] x [0, 1] : (tensor<2x4x16xf32>, tensor<2x16x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

sdy.mesh @mesh = <["expert"=8]>
func.func @few(%x: tensor<16x8xf32> {partopt.role = "batch"}, %w: tensor<4x8x32xf32> {partopt.role = "param"},
               %place: tensor<16x2xi32> {partopt.role = "batch"}) -> tensor<4x6x32xf32> {
  %none = stablehlo.constant dense<0.0> : tensor<4x6x8xf32>
  %sent = "stablehlo.scatter"(%none, %place, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x6x8xf32>, tensor<16x2xi32>, tensor<16x8xf32>) -> tensor<4x6x8xf32>
  // expected-error@+1 {{strategy ep: this layer has 4 experts, fewer than the 8 devices of axis "expert"; use at most --mesh expert=4, and the other devices as another axis, e.g. data (ddp+ep) or model (ep+tp)}}
  %made = stablehlo.dot_general %sent, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x6x8xf32>, tensor<4x8x32xf32>) -> tensor<4x6x32xf32>
  return %made : tensor<4x6x32xf32>
}

// -----

// The batch is split over the axis too.
sdy.mesh @mesh = <["expert"=4]>
func.func @rows(
    // expected-error@+1 {{argument 0 (x) has 2 rows, fewer than the 4 devices of axis "expert", which splits the batch too; use at most --mesh expert=2, or export with a larger batch}}
    %x: tensor<2x8xf32> {partopt.role = "batch", partopt.name = "x"}, %w: tensor<4x8x32xf32> {partopt.role = "param"},
    %place: tensor<2x2xi32> {partopt.role = "batch"}) -> tensor<4x6x32xf32> {
  %none = stablehlo.constant dense<0.0> : tensor<4x6x8xf32>
  %sent = "stablehlo.scatter"(%none, %place, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x6x8xf32>, tensor<2x2xi32>, tensor<2x8xf32>) -> tensor<4x6x8xf32>
  %made = stablehlo.dot_general %sent, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x6x8xf32>, tensor<4x8x32xf32>) -> tensor<4x6x32xf32>
  return %made : tensor<4x6x32xf32>
}

// -----

sdy.mesh @mesh = <["expert"=2]>
// expected-error@+1 {{the role of argument 0 is unknown: neither its name nor its use tells; strategy ep needs it}}
func.func @main(%x: tensor<4xf32> {partopt.role = "unknown"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
