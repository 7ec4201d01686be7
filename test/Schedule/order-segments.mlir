// RUN: partopt-opt %s --partopt-order-segments=schedule=zb-h1 | FileCheck %s --check-prefix=ZB
// RUN: partopt-opt %s --partopt-order-segments=schedule=1f1b | FileCheck %s --check-prefix=ONE
// RUN: partopt-opt %s --partopt-order-segments=schedule=auto | FileCheck %s --check-prefix=AUTO
// RUN: not partopt-opt %s --partopt-order-segments=schedule=zb-h2 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not partopt-opt %s --partopt-order-segments=schedule=zigzag 2>&1 | FileCheck %s --check-prefix=NAME

// Two ranks, two microbatches. Loops are numbered from 0 in each program, the batch's
// own (0 of rank 0) included; the first stage has no gradient to send, so its I is no
// turn. What stands between segments moves in front of them.
// ZB-LABEL: func.func @main_rank0
// ZB-SAME: partopt.turns = array<i64: 1, 0, 1, 1, 2, 0, 2, 1>
// ZB: comm.loop_end
// ZB-NEXT: stablehlo.constant
// ZB-NEXT: comm.loop_begin {{.*}} {partopt.stage = 0 : i64, partopt.stage_part = "F"}
// ZB-LABEL: func.func @main_rank1
// ZB-SAME: partopt.turns = array<i64: 0, 0, 1, 0, 0, 1, 1, 1, 2, 0, 2, 1>

// With both gradients at once, I and W follow each other.
// ONE-LABEL: func.func @main_rank0
// ONE-SAME: partopt.turns = array<i64: 1, 0, 1, 1, 2, 0, 2, 1>
// ONE-LABEL: func.func @main_rank1
// ONE-SAME: partopt.turns = array<i64: 0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1>

// Made for these segments, which take no time at all: any order that is proven.
// AUTO-LABEL: func.func @main_rank0
// AUTO-SAME: partopt.turns = array<i64: 1, 0, 1, 1, 2, 0, 2, 1>
// AUTO-LABEL: func.func @main_rank1
// AUTO-SAME: partopt.turns = array<i64: 0, 0, 0, 1, 1, 0, 2, 0, 1, 1, 2, 1>

// FEW: error: --schedule zb-h2: {{.*}}microbatches
// NAME: error: --schedule zigzag: there is no schedule 'zigzag'; there are gpipe, 1f1b
func.func @main_rank0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.rank = 0 : i64} {
  %i0 = comm.loop_begin "micro" = 2 () : () -> tensor<i32>
  comm.loop_end () : () -> ()
  %i = comm.loop_begin "micro" = 2 () {partopt.stage = 0 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  comm.send {"pipe"=2} to = 1 channel = 0 %x : tensor<4xf32>
  comm.loop_end () : () -> ()
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %j, %c = comm.loop_begin "micro" = 2 (%zeros) {partopt.stage = 0 : i64, partopt.stage_part = "W"} : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %g = comm.recv {"pipe"=2} from = 1 channel = 1 : tensor<4xf32>
  %r = comm.loop_end (%g) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @main_rank1(%y: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.rank = 1 : i64} {
  %i = comm.loop_begin "micro" = 2 () {partopt.stage = 1 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  %x = comm.recv {"pipe"=2} from = 0 channel = 0 : tensor<4xf32>
  comm.loop_end () : () -> ()
  %j = comm.loop_begin "micro" = 2 () {partopt.stage = 1 : i64, partopt.stage_part = "I"} : () -> tensor<i32>
  comm.send {"pipe"=2} to = 0 channel = 1 %y : tensor<4xf32>
  comm.loop_end () : () -> ()
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  %k, %c = comm.loop_begin "micro" = 2 (%zeros) {partopt.stage = 1 : i64, partopt.stage_part = "W"} : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %r = comm.loop_end (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
