// What passes what depends on the links and the device that are given.
// RUN: partopt-opt %s -partopt-schedule-collectives="machine=link=data=1ns,1GB/s;compute=model=1GFLOP/s,1GB/s,9us" | FileCheck %s --check-prefix=FAST
// RUN: partopt-opt %s -partopt-schedule-collectives="machine=link=data=9ms,1GB/s;compute=model=1GFLOP/s,1GB/s,9us" | FileCheck %s --check-prefix=SLOW
// RUN: not partopt-opt %s -partopt-schedule-collectives="machine=speed=3" 2>&1 | FileCheck %s --check-prefix=WRONG

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  return %a : tensor<4xf32>
}

// The sum is there when the first kernel is done, or it lets the last one pass.
// FAST-LABEL: @passing
// FAST: comm.all_reduce
// FAST-NEXT: call @k(%arg1)
// FAST-NEXT: comm.wait
// FAST-NEXT: call @k
// FAST-NEXT: call @k(%arg2)
// SLOW-LABEL: @passing
// SLOW: comm.all_reduce
// SLOW-NEXT: call @k(%arg1)
// SLOW-NEXT: call @k(%arg2)
// SLOW-NEXT: comm.wait
// WRONG: error: 'func.func' op cannot be scheduled for the machine: 'speed=3' is no link, compute, overlap, calibration or cluster
func.func @passing(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.all_reduce {"data"=2} sum %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
