// RUN: partopt-opt %s -split-input-file -partopt-narrow-collectives='grad-reduce=bf16 param-gather=f16' | FileCheck %s
// RUN: partopt-opt %s -split-input-file -partopt-narrow-collectives | FileCheck %s --check-prefix=UNASKED
// RUN: not partopt-opt %s -split-input-file -partopt-narrow-collectives=grad-reduce=f8 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: grad-reduce is bf16, f16 or f32, not 'f8'

// The gradient and the parameter move in the types asked for; the norm of the
// gradients, the activation and the refreshed parameter stay.
// CHECK-LABEL: @step
// UNASKED-LABEL: @step
func.func @step(
    %w: tensor<2x3xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32},
    %v: tensor<4x3xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
    %x: tensor<4x3xf32>, %n: tensor<f32>)
    -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  // CHECK: %[[SHARD:.+]] = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf16>
  // CHECK-NEXT: %[[ALL:.+]] = comm.all_gather {"data"=2} dim = 0 %[[SHARD]] {partopt.storage_gather, partopt.why = "in f16: for use"}
  // CHECK-NEXT: stablehlo.convert %[[ALL]] : (tensor<4x3xf16>) -> tensor<4x3xf32>
  // UNASKED-NOT: convert
  %gw = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather, partopt.why = "for use"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: comm.all_reduce {"data"=2} sum %arg2 : (tensor<4x3xf32>)
  %act = comm.all_reduce {"data"=2} sum %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  // CHECK: comm.all_reduce {"data"=2} sum %arg3 : (tensor<f32>)
  %norm = comm.all_reduce {"data"=2} sum %n : (tensor<f32>) -> tensor<f32>
  %norms = stablehlo.broadcast_in_dim %norm, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  // CHECK: %[[G:.+]] = stablehlo.convert %arg2 : (tensor<4x3xf32>) -> tensor<4x3xbf16>
  // CHECK-NEXT: %[[R:.+]] = comm.reduce_scatter {"data"=2} sum dim = 0 %[[G]] {partopt.phase = "backward", partopt.why = "in bf16"}
  // CHECK-NEXT: stablehlo.convert %[[R]] : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  %g = comm.reduce_scatter {"data"=2} sum dim = 0 %x : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %scaled = stablehlo.multiply %g, %norms : tensor<2x3xf32>
  %nw = stablehlo.subtract %w, %scaled : tensor<2x3xf32>
  // CHECK: comm.all_gather {"data"=2} dim = 0 %{{.*}} {partopt.phase = "update"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %nv = comm.all_gather {"data"=2} dim = 0 %scaled : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %nw, %nv, %gw, %act : tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// What is only read as bf16 is gathered as bf16, through a cut and a transpose.
// UNASKED-LABEL: @exact
func.func @exact(%w: tensor<2x3xf32> {partopt.role = "param"}) -> (tensor<3x3xbf16>, tensor<3x4xbf16>) {
  // UNASKED-NEXT: %[[SHARD:.+]] = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  // UNASKED-NEXT: %[[ALL:.+]] = comm.all_gather {"data"=2} dim = 0 %[[SHARD]] {{.*}} : (tensor<2x3xbf16>) -> tensor<4x3xbf16>
  // UNASKED-NEXT: %[[CUT:.+]] = stablehlo.slice %[[ALL]] [0:3, 0:3] : (tensor<4x3xbf16>)
  // UNASKED-NEXT: %[[T:.+]] = stablehlo.transpose %[[ALL]], dims = [1, 0] : (tensor<4x3xbf16>)
  // UNASKED-NEXT: return %[[CUT]], %[[T]]
  %g = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %cut = stablehlo.slice %g [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
  %a = stablehlo.convert %cut : (tensor<3x3xf32>) -> tensor<3x3xbf16>
  %t = stablehlo.transpose %g, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %b = stablehlo.convert %t : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  return %a, %b : tensor<3x3xbf16>, tensor<3x4xbf16>
}

// -----

// What is computed again casts behind a barrier.
// UNASKED-LABEL: @checkpoint
func.func @checkpoint(%w: tensor<2xf32> {partopt.role = "param"}) -> (tensor<4xbf16>, tensor<4xbf16>) {
  // UNASKED-NEXT: %[[SHARD:.+]] = stablehlo.convert %arg0 : (tensor<2xf32>) -> tensor<2xbf16>
  // UNASKED-NEXT: %[[ALL:.+]] = comm.all_gather {"data"=2} dim = 0 %[[SHARD]] {{.*}} : (tensor<2xbf16>) -> tensor<4xbf16>
  // UNASKED-NEXT: %[[APART:.+]] = stablehlo.optimization_barrier %[[ALL]] : tensor<4xbf16>
  // UNASKED-NEXT: return %[[ALL]], %[[APART]]
  %g = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather} : (tensor<2xf32>) -> tensor<4xf32>
  %a = stablehlo.convert %g : (tensor<4xf32>) -> tensor<4xbf16>
  %apart = stablehlo.optimization_barrier %g : tensor<4xf32>
  %b = stablehlo.convert %apart : (tensor<4xf32>) -> tensor<4xbf16>
  return %a, %b : tensor<4xbf16>, tensor<4xbf16>
}

// -----

// One reader needs f32: the gather stays.
// UNASKED-LABEL: @read_in_both
func.func @read_in_both(%w: tensor<2xf32> {partopt.role = "param"}) -> (tensor<4xf32>, tensor<4xbf16>) {
  // UNASKED-NEXT: comm.all_gather {"data"=2} dim = 0 %arg0 {{.*}} : (tensor<2xf32>) -> tensor<4xf32>
  %g = comm.all_gather {"data"=2} dim = 0 %w {partopt.storage_gather} : (tensor<2xf32>) -> tensor<4xf32>
  %a = stablehlo.abs %g : tensor<4xf32>
  %b = stablehlo.convert %g : (tensor<4xf32>) -> tensor<4xbf16>
  return %a, %b : tensor<4xf32>, tensor<4xbf16>
}
