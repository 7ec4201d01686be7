// RUN: partopt-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=3}),partopt-form-stages{ranks=2})'

// No loop over microbatches.
// expected-error @below {{the step has no loop over microbatches to make a pipeline of}}
func.func @flat(%w: tensor<4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  %y = stablehlo.sine %w : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @short(%w: tensor<4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{the step has 2 forward operations, fewer than the 3 pipeline stages; use at most 2}}
  %i, %c = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %y = stablehlo.sine %w : tensor<4xf32>
  %n = stablehlo.add %c, %y : tensor<4xf32>
  %r = comm.loop_end (%n) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A sum over the whole batch that parameters have a part in, read by every microbatch.
func.func @statistics(%w: tensor<4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %i, %c = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %y = stablehlo.sine %w : tensor<4xf32>
  %n = stablehlo.add %c, %y : tensor<4xf32>
  %r = comm.loop_end (%n) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{pipeline stages cannot be cut where every microbatch waits for a sum over the whole batch in which parameters have a part; use --batch-statistics micro, or leave out pp}}
  %j, %d = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %z = stablehlo.multiply %r, %w : tensor<4xf32>
  %m = stablehlo.add %d, %z : tensor<4xf32>
  %s = comm.loop_end (%m) : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// Three stages on two ranks.
// expected-error @below {{has 3 pipeline stages, which 2 ranks cannot run equally many of}}
func.func @ranks(%w: tensor<4xf32> {partopt.role = "param"}) -> tensor<4xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %i, %c = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %y = stablehlo.sine %w : tensor<4xf32>
  %z = stablehlo.cosine %y : tensor<4xf32>
  %n = stablehlo.add %c, %z : tensor<4xf32>
  %r = comm.loop_end (%n) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
