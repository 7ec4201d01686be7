// What the lowering to the plan dialect refuses.
// RUN: partopt-opt %s -split-input-file -verify-diagnostics -partopt-lower-to-plan

// An operation that is not of the kernel form.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is not part of the kernel form; run partopt-form-kernels before}}
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A product that no BLAS call computes.
func.func @main(%a: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // expected-error@+1 {{is not in BLAS form}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
    : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

// A product with two free dimensions on one side.
func.func @main(%a: tensor<2x2x4xf32>, %b: tensor<4x4xf32>) -> tensor<2x2x4xf32> {
  // expected-error@+1 {{is not in BLAS form}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0]
    : (tensor<2x2x4xf32>, tensor<4x4xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}

// -----

// A donated argument of another shape than the result that is to take it.
// expected-error@+1 {{result 0 (new_w) of 'tensor<2xf32>', no sharding, cannot take the buffer of argument 0 (w) of 'tensor<4xf32>', no sharding; give both the same sharding, or drop tf.aliasing_output}}
func.func @main(%w: tensor<4xf32> {partopt.name = "w", tf.aliasing_output = 0 : i32}, %x: tensor<2xf32>)
    -> (tensor<2xf32> {partopt.name = "new_w"}) {
  return %x : tensor<2xf32>
}

// -----

// The same local shape in another layout is as wrong.
sdy.mesh @mesh = <["data"=2]>
// expected-error@+1 {{cannot take the buffer of argument 0}}
func.func @main(%w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32,
      sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, partopt.global_type = tensor<8x4xf32>},
      %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>,
        partopt.global_type = tensor<4x8xf32>}) {
  return %x : tensor<4x4xf32>
}

// -----

// An alias of no result.
// expected-error@+1 {{argument 0 is to take result 3 of 1}}
func.func @main(%w: tensor<4xf32> {tf.aliasing_output = 3 : i32}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// Two arguments that one result is to take.
func.func @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32},
    // expected-error@+1 {{arguments 0 and 1 are both to take result 0}}
    %v: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// A type that has no size in memory.
// expected-error@+1 {{buffers cannot hold elements of 'index'}}
func.func @main(%w: tensor<4xindex>) {
  return
}

// -----

// A collective that is started and never waited for.
func.func @main(%w: tensor<4xf32>) {
  // expected-error@+1 {{is started and needs exactly one comm.wait}}
  %0 = comm.all_reduce {"data"=2} sum %w : (tensor<4xf32>) -> (!comm.pending<tensor<4xf32>>)
  return
}

// -----

// Two entries.
func.func @main() {
  return
}
// expected-error@+1 {{is a second public function beside 'main'}}
func.func @other() {
  return
}

// -----

// No entry.
// expected-error@+1 {{has no public function to make a plan of}}
module {
}

// -----

// A call of a function that is no kernel.
func.func private @f() -> tensor<f32>
func.func @main() -> tensor<f32> {
  // expected-error@+1 {{calls @f, which is no function with partopt.kernel}}
  %0 = func.call @f() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A collective whose blocks are not contiguous.
func.func @main(%a: tensor<2x4xf32>) -> tensor<2x8xf32> {
  // expected-error@+1 {{does not move contiguous blocks; run partopt-normalise-collectives before}}
  %0 = comm.all_gather {"data"=2} dim = 1 %a : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
