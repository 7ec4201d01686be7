// What must not be left after the schedule phase.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-verify-scheduled

func.func @whole(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is not split into a start and a wait}}
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @lost(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs exactly one comm.wait}}
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  return
}

// -----

func.func @split(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %1 = comm.wait %0 : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
