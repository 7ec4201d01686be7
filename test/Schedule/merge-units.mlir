// RUN: partopt-opt %s -split-input-file -partopt-merge-units | FileCheck %s
// RUN: not partopt-opt %s -split-input-file -partopt-merge-units -partopt-schedule-collectives -partopt-merge-units 2>&1 | FileCheck %s --check-prefix=STARTED
// STARTED: error: 'comm.reduce_scatter' op is started already; run partopt-merge-units before

// Gathers of a unit merge at the first one's place, a transpose moves along;
// reduce-scatters merge at the last one's place, behind which their readers
// move. The other unit and the gather of an activation stay alone.
// CHECK-LABEL: @step
func.func @step(
    %w: tensor<2x3xf32> {partopt.role = "param", partopt.wrap_unit = "a", tf.aliasing_output = 0 : i32},
    %b: tensor<2xf32> {partopt.role = "param", partopt.wrap_unit = "a", tf.aliasing_output = 1 : i32},
    %o: tensor<2x3xf32> {partopt.role = "param", partopt.wrap_unit = "b", tf.aliasing_output = 2 : i32},
    %x: tensor<4x3xf32>, %y: tensor<4xf32>)
    -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[T:.+]] = stablehlo.transpose %arg0
  // CHECK-NEXT: %[[TT:.+]] = stablehlo.transpose %[[T]]
  // CHECK-NEXT: %[[A:.+]]:2 = comm.all_gather {"data"=2} dim = 0 %arg1, %[[TT]] {partopt.storage_gather, partopt.why = "unit a, 2 tensors: for use", partopt.wrap_unit = "a"}
  // CHECK-NEXT: comm.all_gather {"data"=2} dim = 0 %arg2 {{{.*}}partopt.wrap_unit = "b"}
  %gb = comm.all_gather {"data"=2} dim = 0 %b {partopt.storage_gather, partopt.why = "for use"} : (tensor<2xf32>) -> tensor<4xf32>
  %go = comm.all_gather {"data"=2} dim = 0 %o {partopt.storage_gather, partopt.why = "for use"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %tt = stablehlo.transpose %t, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %gw = comm.all_gather {"data"=2} dim = 0 %tt {partopt.storage_gather, partopt.why = "for use"} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %u = stablehlo.transpose %gw, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  // CHECK: %[[R:.+]]:2 = comm.reduce_scatter {"data"=2} sum dim = 0 %arg3, %arg4 {partopt.why = "unit a, 2 tensors", partopt.wrap_unit = "a"}
  // CHECK-NEXT: stablehlo.abs %[[R]]#0
  // CHECK: comm.all_gather {"data"=2} dim = 0 %arg4 : (tensor<4xf32>) -> tensor<8xf32>
  %rw = comm.reduce_scatter {"data"=2} sum dim = 0 %x : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %abs = stablehlo.abs %rw : tensor<2x3xf32>
  %rb = comm.reduce_scatter {"data"=2} sum dim = 0 %y : (tensor<4xf32>) -> tensor<2xf32>
  %act = comm.all_gather {"data"=2} dim = 0 %y : (tensor<4xf32>) -> tensor<8xf32>
  %nw = stablehlo.subtract %w, %abs : tensor<2x3xf32>
  %nb = stablehlo.subtract %b, %rb : tensor<2xf32>
  return %nw, %nb, %o, %u, %gb, %go, %act : tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<8xf32>
}

// -----

// A reduction that depends on another one of its unit cannot join it.
// CHECK-LABEL: @chain
func.func @chain(
    %w: tensor<2xf32> {partopt.role = "param", partopt.wrap_unit = "a", tf.aliasing_output = 0 : i32},
    %b: tensor<2xf32> {partopt.role = "param", partopt.wrap_unit = "a", tf.aliasing_output = 1 : i32},
    %x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK-NEXT: %[[ONE:.+]] = comm.reduce_scatter {"data"=2} sum dim = 0 %arg2
  // CHECK-NEXT: %[[CAT:.+]] = stablehlo.concatenate %[[ONE]], %[[ONE]]
  // CHECK-NEXT: comm.reduce_scatter {"data"=2} sum dim = 0 %[[CAT]]
  %rw = comm.reduce_scatter {"data"=2} sum dim = 0 %x : (tensor<4xf32>) -> tensor<2xf32>
  %cat = stablehlo.concatenate %rw, %rw, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %rb = comm.reduce_scatter {"data"=2} sum dim = 0 %cat : (tensor<4xf32>) -> tensor<2xf32>
  %nw = stablehlo.subtract %w, %rw : tensor<2xf32>
  %nb = stablehlo.subtract %b, %rb : tensor<2xf32>
  return %nw, %nb : tensor<2xf32>, tensor<2xf32>
}
