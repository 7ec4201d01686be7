// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}))' | FileCheck %s --check-prefix=NESTED
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2}),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s

// NESTED: comm.loop "ring" = 3(%{{.+}}) {partopt.stage = 1 : i64, partopt.stage_part = "F"} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
// NESTED: comm.yield

// A loop in the loop goes to one segment, with the mask that it reads and makes for itself.
// CHECK-LABEL: func.func @ring_rank0
// CHECK: comm.loop_begin "micro" = 4() {partopt.stage = 0 : i64, partopt.stage_part = "F"}
// CHECK-NOT: "ring"
// CHECK-LABEL: func.func @ring_rank1
// CHECK: comm.loop_begin "micro" = 4({{.*}}) {partopt.stage = 1 : i64, partopt.stage_part = "F"}
// CHECK: %[[HERE:.+]] = comm.recv
// CHECK: %[[MASK:.+]] = stablehlo.cosine %{{.+}} : tensor<4x8xf32>
// CHECK: %[[STEP:.+]], %[[AROUND:.+]] = comm.loop_begin "ring" = 3(%[[HERE]]) : (tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>)
// CHECK-NEXT: %[[MASKED:.+]] = stablehlo.multiply %[[AROUND]], %[[MASK]]
// CHECK-NEXT: %[[NEXT:.+]] = comm.permute {{.*}} %[[MASKED]]
// CHECK-NEXT: comm.loop_end(%[[NEXT]])
// CHECK-NOT: comm.loop "

func.func @ring(%t: tensor<8x8xf32> {partopt.role = "param"}, %x: tensor<16x8xf32> {partopt.role = "batch"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %i, %l = comm.loop_begin "micro" = 4 (%zero) : (tensor<f32>) -> (tensor<i32>, tensor<f32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %mask = stablehlo.cosine %rows : tensor<4x8xf32>
  %h = stablehlo.dot_general %rows, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %j, %a = comm.loop_begin "ring" = 3 (%h) : (tensor<4x8xf32>) -> (tensor<i32>, tensor<4x8xf32>)
  %m = stablehlo.multiply %a, %mask : tensor<4x8xf32>
  %n = comm.permute {"context"=4} to = [1, 2, 3, 0] %m : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = comm.loop_end (%n) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %loss = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss : tensor<f32>
  %sum = comm.loop_end (%nl) : (tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
