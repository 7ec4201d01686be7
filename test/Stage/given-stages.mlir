// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 layers=1,1}))' | FileCheck %s --check-prefixes=CHECK,MIDDLE
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 begins=layers.1}))' | FileCheck %s --check-prefixes=CHECK,MIDDLE
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 layers=0,2}))' | FileCheck %s --check-prefixes=CHECK,FRONT
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 begins=^stack}))' | FileCheck %s --check-prefixes=CHECK,FRONT
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 layers=2,0}))' | FileCheck %s --check-prefixes=CHECK,BEHIND
// RUN: partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=3 layers=0,2,0}))' | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: not partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 layers=1,1,0}))' 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not partopt-opt %s --pass-pipeline='builtin.module(func.func(partopt-cut-stages{stages=2 layers=2,2}))' 2>&1 | FileCheck %s --check-prefix=FOUR

// Two layers whose parameters are rows of one, between both uses of a table. The second
// layer may begin from the sum that ends the first one to its own product: least crosses
// behind the sum, where it alone does. What is behind the layers begins there too.

// THREE: is to have 2 pipeline stages, and 3 are given
// FOUR: --stages 2,2 are 4 layers, and the step has 2: layers.0, layers.1

// CHECK-LABEL: func.func @main
// CHECK: comm.loop_begin

// MIDDLE: dot_general {{.*}}partopt.stage = 0
// MIDDLE-NEXT: sine {{.*}}partopt.stage = 0
// MIDDLE-NEXT: dot_general {{.*}}partopt.stage = 0
// MIDDLE-NEXT: add {{.*}}partopt.stage = 0
// MIDDLE-NEXT: cosine {{.*}}partopt.stage = 1
// MIDDLE-NEXT: dot_general {{.*}}partopt.stage = 1
// MIDDLE-NEXT: add {{.*}}partopt.stage = 1
// MIDDLE-NEXT: dot_general {{.*}}partopt.stage = 1

// FRONT: dot_general {{.*}}partopt.stage = 0
// FRONT-NEXT: sine {{.*}}partopt.stage = 1
// FRONT-NEXT: dot_general {{.*}}partopt.stage = 1

// BEHIND: dot_general {{.*}}partopt.stage = 0
// BEHIND: cosine {{.*}}partopt.stage = 0
// BEHIND-NEXT: dot_general {{.*}}partopt.stage = 0
// BEHIND-NEXT: add {{.*}}partopt.stage = 0
// BEHIND-NEXT: dot_general {{.*}}partopt.stage = 1

// BOTH: dot_general {{.*}}partopt.stage = 0
// BOTH-NEXT: sine {{.*}}partopt.stage = 1
// BOTH-NEXT: dot_general {{.*}}partopt.stage = 1
// BOTH-NEXT: add {{.*}}partopt.stage = 1
// BOTH-NEXT: cosine {{.*}}partopt.stage = 1
// BOTH-NEXT: dot_general {{.*}}partopt.stage = 1
// BOTH-NEXT: add {{.*}}partopt.stage = 1
// BOTH-NEXT: dot_general {{.*}}partopt.stage = 2
func.func @main(%table: tensor<8x8xf32> {partopt.role = "param", partopt.layer = "table", partopt.name = "table"},
                %stack: tensor<2x8x8xf32> {partopt.role = "param", partopt.layer = "layers.*", partopt.name = "stack"},
                %x: tensor<8x8xf32> {partopt.role = "batch"}) -> tensor<8x8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %row0 = stablehlo.slice %stack [0:1, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
  %w0 = stablehlo.reshape %row0 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
  %row1 = stablehlo.slice %stack [1:2, 0:8, 0:8] : (tensor<2x8x8xf32>) -> tensor<1x8x8xf32>
  %w1 = stablehlo.reshape %row1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
  %i, %a = comm.loop_begin "micro" = 2 (%zeros) : (tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>)
  %rows = stablehlo.dynamic_slice %x, %i, %c0, sizes = [4, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %h0 = stablehlo.dot_general %rows, %table, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y0 = stablehlo.sine %h0 : tensor<4x8xf32>
  %h1 = stablehlo.dot_general %y0, %w0, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y1 = stablehlo.add %h1, %y0 : tensor<4x8xf32>
  %s1 = stablehlo.cosine %y1 : tensor<4x8xf32>
  %h2 = stablehlo.dot_general %s1, %w1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y2 = stablehlo.add %h2, %y1 : tensor<4x8xf32>
  %h3 = stablehlo.dot_general %y2, %table, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %n = stablehlo.dynamic_update_slice %a, %h3, %i, %c0 : (tensor<8x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  %r = comm.loop_end (%n) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
