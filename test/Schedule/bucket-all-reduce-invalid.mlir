// What the merging of collectives refuses.
// RUN: partopt-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -partopt-bucket-all-reduce

// A collective that is started already.
func.func @started(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is started already; run partopt-bucket-all-reduce before}}
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %1 = comm.wait %0 : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Control flow between blocks.
// expected-error@+1 {{needs one block to have its collectives merged}}
func.func @blocks() {
  "test.jump"() [^next] : () -> ()
^next:
  return
}
