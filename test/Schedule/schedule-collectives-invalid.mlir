// What the scheduler of collectives refuses.
// RUN: partopt-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -partopt-schedule-collectives

// A collective that is started already.
func.func @started(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is part of a started collective; partopt-schedule-collectives starts them itself}}
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %1 = comm.wait %0 : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// An operation with regions, whose collectives could not be seen.
func.func @regions(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{has regions; run partopt-form-kernels before}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Control flow between blocks.
// expected-error@+1 {{needs one block to be scheduled}}
func.func @blocks() {
  "test.jump"() [^next] : () -> ()
^next:
  return
}
