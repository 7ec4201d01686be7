// RUN: partopt-opt %s --split-input-file --verify-diagnostics --partopt-verify-stages

// Nobody receives.
func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  // expected-error @below {{has nobody at the other end of channel 0}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  return
}
func.func @r1() attributes {partopt.rank = 1 : i64} {
  return
}

// -----

// The receiver names another rank.
func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  // expected-error @below {{goes from rank 0 to rank 1, and channel 0 is received on rank 1 from rank 1}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  return
}
func.func @r1() attributes {partopt.rank = 1 : i64} {
  %y = comm.recv {"pipe"=2} from = 1 channel = 0 : tensor<4xf32>
  return
}

// -----

func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  // expected-error @below {{sends other types than channel 0 receives}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  return
}
func.func @r1() attributes {partopt.rank = 1 : i64} {
  %y = comm.recv {"pipe"=2} from = 0 channel = 0 : tensor<5xf32>
  return
}

// -----

// Once per microbatch here, once per step there.
func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  %i = comm.loop_begin "micro" = 2 () {partopt.stage = 0 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  // expected-error @below {{and the receiver of channel 0 do not run equally often}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  comm.loop_end () : () -> ()
  return
}
func.func @r1() attributes {partopt.rank = 1 : i64} {
  %y = comm.recv {"pipe"=2} from = 0 channel = 0 : tensor<4xf32>
  return
}

// -----

// Forward waits for what backward makes.
func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  %i = comm.loop_begin "micro" = 2 () {partopt.stage = 0 : i64, partopt.stage_part = "I"} : () -> tensor<i32>
  // expected-error @below {{is in segment I of stage 0, which does not come before the one that receives channel 0, F of stage 1}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  comm.loop_end () : () -> ()
  return
}
func.func @r1() attributes {partopt.rank = 1 : i64} {
  %i = comm.loop_begin "micro" = 2 () {partopt.stage = 1 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  %y = comm.recv {"pipe"=2} from = 0 channel = 0 : tensor<4xf32>
  comm.loop_end () : () -> ()
  return
}

// -----

func.func @r0(%x: tensor<4xf32>) attributes {partopt.rank = 0 : i64} {
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  // expected-error @below {{is a second sender of channel 0}}
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  return
}

// -----

// expected-error @below {{has programs of 1 ranks, and none of rank 0}}
module {
  func.func @r1() attributes {partopt.rank = 1 : i64} {
    return
  }
}

// -----

// Result 1 of the whole program is lost.
// expected-error @below {{no rank has result 1}}
module {
  func.func @r0(%x: tensor<4xf32> {partopt.argument = 0 : i64}) -> (tensor<4xf32> {partopt.result = 0 : i64}) attributes {partopt.rank = 0 : i64, partopt.results = 2 : i64} {
    return %x : tensor<4xf32>
  }
}

// -----

// One of two ranks that have a parameter does not get its next value.
func.func @r0(%x: tensor<4xf32> {partopt.argument = 0 : i64, tf.aliasing_output = 0 : i32}) -> (tensor<4xf32> {partopt.result = 0 : i64}) attributes {partopt.rank = 0 : i64} {
  return %x : tensor<4xf32>
}
// expected-error @below {{has argument 0 of the whole program, as another rank has, and not its next value}}
func.func @r1(%x: tensor<4xf32> {partopt.argument = 0 : i64}) attributes {partopt.rank = 1 : i64} {
  return
}

// -----

// Rows 2 and 3 of result 0 are nowhere.
// expected-error @below {{parts of result 0 do not follow each other at row 2}}
module {
  func.func @r0(%w: tensor<2x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 0 : i64}) -> (tensor<2x4xf32> {partopt.first_row = 0 : i64, partopt.result = 0 : i64}) attributes {partopt.rank = 0 : i64, partopt.results = 1 : i64} {
    return %w : tensor<2x4xf32>
  }
  func.func @r1(%w: tensor<2x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 4 : i64}) -> (tensor<2x4xf32> {partopt.first_row = 4 : i64, partopt.result = 0 : i64}) attributes {partopt.rank = 1 : i64, partopt.results = 1 : i64} {
    return %w : tensor<2x4xf32>
  }
}

// -----

// expected-error @below {{has other rows of argument 0 of the whole program than of its next value}}
func.func @r0(%w: tensor<2x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 0 : i64, tf.aliasing_output = 0 : i32}) -> (tensor<2x4xf32> {partopt.first_row = 2 : i64, partopt.result = 0 : i64}) attributes {partopt.rank = 0 : i64, partopt.results = 1 : i64} {
  return %w : tensor<2x4xf32>
}
