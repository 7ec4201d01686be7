// What must not be left after the optimise phase.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-verify-optimised

func.func @started(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is started before the schedule phase}}
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %1 = comm.wait %0 : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @apart(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{does not move contiguous blocks}}
  %0 = comm.all_to_all {"data"=2} split_dim = 1 concat_dim = 1 %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @contiguous(%a: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %0 = comm.all_to_all {"data"=2} split_dim = 0 concat_dim = 0 %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = comm.all_gather {"data"=2} dim = 0 %0 : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
