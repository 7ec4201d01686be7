// A loop goes on in the range of the value that it starts from, wherever that
// value's own place is.
// RUN: partopt-opt %s -partopt-lower-to-plan | FileCheck %s

module attributes {partopt.time_axes = {micro = 3 : i64}} {
sdy.mesh @mesh = <["data"=1]>

func.func private @start(%a: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @step(%a: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %x: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.add %a, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The first start is written where its operand was, and the loop's value as well.
// CHECK-LABEL: plan.program @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[X:.+]] = plan.buffer resident
  // CHECK: %[[VALUE:.+]] = plan.buffer arena
  // CHECK: plan.launch @start{{.*}} reads(%[[X]]) writes(%[[VALUE]])
  %a = func.call @start(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.launch @start{{.*}} reads(%[[VALUE]]) writes(%[[VALUE]])
  %b = func.call @start(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.loop_begin "micro" = 3 index({{.+}}) reads(%[[VALUE]]) writes(%[[VALUE]])
  %i, %now = comm.loop_begin "micro" = 3 (%b) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  // CHECK: plan.launch @step{{.*}} reads(%[[VALUE]], %[[X]]) writes(%[[VALUE]])
  %next = func.call @step(%now, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.loop_end
  %last = comm.loop_end (%next) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.launch @start{{.*}} reads(%[[VALUE]])
  %c = func.call @start(%last) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
}
