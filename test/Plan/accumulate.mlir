// RUN: partopt-opt %s -split-input-file -partopt-lower-to-plan | FileCheck %s

// A product that a loop adds to what it carries is added where the sum is; the
// kernel that writes rows of it writes there too.
// CHECK-LABEL: plan.program @main
// CHECK: plan.loop_begin "micro" = 2 index(%{{.+}}) reads(%[[SUM:.+]]) writes(%[[SUM]])
// CHECK-NOT: plan.launch @k0
// CHECK: plan.gemm f32 reads(%{{.+}}, %{{.+}}) writes(%[[SUM]]) batch 1 mnk[4, 4, 8] trans_a accumulate
// CHECK-NOT: plan.launch @k0
// CHECK: plan.launch @k1_r0_over_a0 reads(%[[SUM]], %{{.+}}) writes(%[[SUM]])
// CHECK: plan.loop_end reads(%[[SUM]]) writes(%[[SUM]])
module attributes {partopt.time_axes = {micro = 2 : i64}} {
  sdy.mesh @mesh = <["micro"=2]>
  func.func private @k0(%a: tensor<16xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %b: tensor<16xf32>) -> tensor<16xf32> attributes {partopt.kernel} {
    %0 = stablehlo.add %a, %b : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func private @k1(%a: tensor<4x4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %b: tensor<1x4xf32>) -> tensor<4x4xf32> attributes {partopt.kernel} {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %b, %zero, %zero : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @k2() -> tensor<4x4xf32> attributes {partopt.kernel} {
    %0 = stablehlo.constant dense<0.0> : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main(%x: tensor<8x4xf32>, %row: tensor<1x4xf32>) -> tensor<4x4xf32> {
    %zeros = func.call @k2() : () -> tensor<4x4xf32>
    %i, %carried = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
    %product = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %a = stablehlo.reshape %carried : (tensor<4x4xf32>) -> tensor<16xf32>
    %b = stablehlo.reshape %product : (tensor<4x4xf32>) -> tensor<16xf32>
    %sum = func.call @k0(%a, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %shaped = stablehlo.reshape %sum : (tensor<16xf32>) -> tensor<4x4xf32>
    %next = func.call @k1(%shaped, %row) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %last = comm.loop_end(%next) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %last : tensor<4x4xf32>
  }
}

// -----

// What is read once more in the iteration stays: the product has memory of its own.
// CHECK-LABEL: plan.program @main
// CHECK: plan.gemm
// CHECK-NOT: accumulate
// CHECK: plan.launch @k0
module attributes {partopt.time_axes = {micro = 2 : i64}} {
  sdy.mesh @mesh = <["micro"=2]>
  func.func private @k0(%a: tensor<4x4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %b: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {partopt.kernel} {
    %0 = stablehlo.add %a, %b : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @k2() -> tensor<4x4xf32> attributes {partopt.kernel} {
    %0 = stablehlo.constant dense<0.0> : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %zeros = func.call @k2() : () -> tensor<4x4xf32>
    %i, %carried = comm.loop_begin "micro" = 2 (%zeros) : (tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
    %product = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %sum = func.call @k0(%carried, %product) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %next = func.call @k0(%carried, %sum) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %last = comm.loop_end(%next) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %last : tensor<4x4xf32>
  }
}
