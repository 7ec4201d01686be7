// A collective that is started already cannot be moved.
// RUN: partopt-opt %s -verify-diagnostics -partopt-normalise-collectives

func.func @started(%a: tensor<3x4xf32>) -> tensor<3x8xf32> {
  // expected-error@+1 {{is started already; run partopt-normalise-collectives before}}
  %0 = comm.all_gather {"data"=2} dim = 1 %a : (tensor<3x4xf32>) -> !comm.pending<tensor<3x8xf32>>
  %1 = comm.wait %0 : (!comm.pending<tensor<3x8xf32>>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
