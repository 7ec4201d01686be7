// RUN: partopt-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(partopt-split-stacks))' | FileCheck %s
// RUN: partopt-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(partopt-split-stacks),partopt-form-stages{ranks=2},partopt-verify-stages)' | FileCheck %s --check-prefix=RANKS

// Three layers, two of the first stage, with momentum and a scale from the gradient's
// norm. Parameter, momentum and what is returned of them become rows 0:2 and rows 2:3.
// The gradient's parts are put together of the layers' own; the norm is that of both
// parts, in sum. Numbers of arguments and results are as before.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[W0:arg[0-9]+]]: tensor<2x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 0 : i64, partopt.role = "param", tf.aliasing_output = 1 : i32}
// CHECK-SAME: %[[W1:arg[0-9]+]]: tensor<1x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 2 : i64, partopt.role = "param", tf.aliasing_output = 2 : i32}
// CHECK-SAME: %[[M0:arg[0-9]+]]: tensor<2x4xf32> {partopt.argument = 1 : i64, partopt.first_row = 0 : i64, partopt.role = "opt", tf.aliasing_output = 3 : i32}
// CHECK-SAME: %[[M1:arg[0-9]+]]: tensor<1x4xf32> {partopt.argument = 1 : i64, partopt.first_row = 2 : i64, partopt.role = "opt", tf.aliasing_output = 4 : i32}
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {partopt.argument = 2 : i64, partopt.role = "batch"}
// CHECK-SAME: -> (tensor<f32> {partopt.loss, partopt.result = 0 : i64}, tensor<2x4xf32> {partopt.first_row = 0 : i64, partopt.result = 1 : i64}, tensor<1x4xf32> {partopt.first_row = 2 : i64, partopt.result = 1 : i64}, tensor<2x4xf32> {partopt.first_row = 0 : i64, partopt.result = 2 : i64}, tensor<1x4xf32> {partopt.first_row = 2 : i64, partopt.result = 2 : i64})
// CHECK-SAME: partopt.results = 3 : i64
// CHECK: stablehlo.slice %[[W0]] [0:1, 0:4]
// CHECK: stablehlo.slice %[[W0]] [1:2, 0:4]
// CHECK: stablehlo.reshape %[[W1]] : (tensor<1x4xf32>) -> tensor<4xf32>
// CHECK: comm.loop_begin
// CHECK: %[[END:.+]]:4 = comm.loop_end
// CHECK: %[[ROW0:.+]] = stablehlo.reshape %[[END]]#1
// CHECK: %[[ROW1:.+]] = stablehlo.reshape %[[END]]#2
// CHECK: %[[G1:.+]] = stablehlo.reshape %[[END]]#3
// CHECK: %[[G0:.+]] = stablehlo.concatenate %[[ROW0]], %[[ROW1]], dim = 0
// CHECK: %[[S0:.+]] = stablehlo.multiply %[[G0]], %[[G0]] : tensor<2x4xf32>
// CHECK: %[[S1:.+]] = stablehlo.multiply %[[G1]], %[[G1]] : tensor<1x4xf32>
// CHECK: %[[N0:.+]] = stablehlo.reduce(%[[S0]]
// CHECK: %[[N1:.+]] = stablehlo.reduce(%[[S1]]
// CHECK: %[[NORM:.+]] = stablehlo.add %[[N0]], %[[N1]] : tensor<f32>
// CHECK-DAG: stablehlo.broadcast_in_dim %[[NORM]], dims = [] : (tensor<f32>) -> tensor<2x4xf32>
// CHECK-DAG: stablehlo.broadcast_in_dim %[[NORM]], dims = [] : (tensor<f32>) -> tensor<1x4xf32>
// CHECK: return %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<f32>, tensor<2x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<1x4xf32>

// Each rank has its rows; behind the loops only numbers move.
// RANKS-LABEL: func.func @main_rank0(
// RANKS-SAME: tensor<2x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 0 : i64, partopt.role = "param", tf.aliasing_output = 0 : i32}
// RANKS-SAME: tensor<2x4xf32> {partopt.argument = 1 : i64, partopt.first_row = 0 : i64, partopt.role = "opt", tf.aliasing_output = 1 : i32}
// RANKS-SAME: -> (tensor<2x4xf32> {partopt.first_row = 0 : i64, partopt.result = 1 : i64}, tensor<2x4xf32> {partopt.first_row = 0 : i64, partopt.result = 2 : i64})
// RANKS: comm.loop_begin {{.*}}stage_part = "W"
// RANKS: comm.loop_end
// RANKS-NOT: comm.{{send|recv}} {{.*}}tensor<{{[0-9]}}
// RANKS-LABEL: func.func @main_rank1(
// RANKS-SAME: tensor<1x4xf32> {partopt.argument = 0 : i64, partopt.first_row = 2 : i64, partopt.role = "param", tf.aliasing_output = 1 : i32}
// RANKS-SAME: tensor<1x4xf32> {partopt.argument = 1 : i64, partopt.first_row = 2 : i64, partopt.role = "opt", tf.aliasing_output = 2 : i32}
// RANKS: comm.loop_begin {{.*}}stage_part = "W"
// RANKS: comm.loop_end
// RANKS-NOT: comm.{{send|recv}} {{.*}}tensor<{{[0-9]}}
// RANKS: return
func.func @main(%w: tensor<3x4xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %m: tensor<3x4xf32> {partopt.role = "opt", tf.aliasing_output = 2 : i32},
                %x: tensor<8x4xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<3x4xf32>, tensor<3x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<4xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r0 = stablehlo.slice %w [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %w0 = stablehlo.reshape %r0 : (tensor<1x4xf32>) -> tensor<4xf32>
  %r1 = stablehlo.slice %w [1:2, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %w1 = stablehlo.reshape %r1 : (tensor<1x4xf32>) -> tensor<4xf32>
  %r2 = stablehlo.slice %w [2:3, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %w2 = stablehlo.reshape %r2 : (tensor<1x4xf32>) -> tensor<4xf32>
  %i, %l, %a0, %a1, %a2 = comm.loop_begin "micro" = 8 (%zero, %none, %none, %none) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %row = stablehlo.dynamic_slice %x, %i, %c0, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %in = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
  %y0 = stablehlo.multiply %in, %w0 {partopt.stage = 0 : i64, partopt.stage_part = "F"} : tensor<4xf32>
  %y1 = stablehlo.multiply %y0, %w1 {partopt.stage = 0 : i64, partopt.stage_part = "F"} : tensor<4xf32>
  %y2 = stablehlo.multiply %y1, %w2 {partopt.stage = 1 : i64, partopt.stage_part = "F"} : tensor<4xf32>
  %loss = stablehlo.reduce(%y2 init: %zero) applies stablehlo.add across dimensions = [0] {partopt.stage = 1 : i64, partopt.stage_part = "F"} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss {partopt.stage = 1 : i64, partopt.stage_part = "F"} : tensor<f32>
  %n2 = stablehlo.add %a2, %y1 {partopt.stage = 1 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %d1 = stablehlo.multiply %w2, %w2 {partopt.stage = 1 : i64, partopt.stage_part = "I"} : tensor<4xf32>
  %g1 = stablehlo.multiply %d1, %y0 {partopt.stage = 0 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %n1 = stablehlo.add %a1, %g1 {partopt.stage = 0 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %d0 = stablehlo.multiply %d1, %w1 {partopt.stage = 0 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %g0 = stablehlo.multiply %d0, %in {partopt.stage = 0 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %n0 = stablehlo.add %a0, %g0 {partopt.stage = 0 : i64, partopt.stage_part = "W"} : tensor<4xf32>
  %sum, %s0, %s1, %s2 = comm.loop_end (%nl, %n0, %n1, %n2) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %p0 = stablehlo.reshape %s0 : (tensor<4xf32>) -> tensor<1x4xf32>
  %p1 = stablehlo.reshape %s1 : (tensor<4xf32>) -> tensor<1x4xf32>
  %p2 = stablehlo.reshape %s2 : (tensor<4xf32>) -> tensor<1x4xf32>
  %g = stablehlo.concatenate %p0, %p1, %p2, dim = 0 : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %square = stablehlo.multiply %g, %g : tensor<3x4xf32>
  %norm = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
  %scale = stablehlo.broadcast_in_dim %norm, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
  %scaled = stablehlo.divide %g, %scale : tensor<3x4xf32>
  %decay = stablehlo.constant dense<0.9> : tensor<3x4xf32>
  %kept = stablehlo.multiply %m, %decay : tensor<3x4xf32>
  %nm = stablehlo.add %kept, %scaled : tensor<3x4xf32>
  %nw = stablehlo.subtract %w, %nm : tensor<3x4xf32>
  return %sum, %nw, %nm : tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// Rows are sorted before they are added: the stack stays whole, and a note says why.
// CHECK: partopt.notes = [{{.*}}argument 0 (w), rows of which several pipeline stages use, lies whole with one of them: 'stablehlo.sort' here does not go through it row by row
// CHECK-LABEL: func.func @sorted(
// CHECK-SAME: tensor<2x4xf32> {partopt.name = "w", partopt.role = "param", tf.aliasing_output = 1 : i32}
// CHECK-NOT: first_row
// RANKS-LABEL: func.func @sorted_rank0(
// RANKS-SAME: tensor<2x4xf32> {partopt.argument = 0 : i64
// RANKS-LABEL: func.func @sorted_rank1(
// RANKS-SAME: tensor<2x4xf32> {partopt.argument = 0 : i64
func.func @sorted(%w: tensor<2x4xf32> {partopt.name = "w", partopt.role = "param", tf.aliasing_output = 1 : i32},
                  %x: tensor<8x4xf32> {partopt.role = "batch"})
    -> (tensor<f32> {partopt.loss}, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %r0 = stablehlo.slice %w [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %r1 = stablehlo.slice %w [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %i, %l = comm.loop_begin "micro" = 8 (%zero) : (tensor<f32>) -> (tensor<i32>, tensor<f32>)
  %in = stablehlo.dynamic_slice %x, %i, %c0, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %y0 = stablehlo.multiply %in, %r0 {partopt.stage = 0 : i64, partopt.stage_part = "F"} : tensor<1x4xf32>
  %y1 = stablehlo.multiply %y0, %r1 {partopt.stage = 1 : i64, partopt.stage_part = "F"} : tensor<1x4xf32>
  %loss = stablehlo.reduce(%y1 init: %zero) applies stablehlo.add across dimensions = [0, 1] {partopt.stage = 1 : i64, partopt.stage_part = "F"} : (tensor<1x4xf32>, tensor<f32>) -> tensor<f32>
  %nl = stablehlo.add %l, %loss {partopt.stage = 1 : i64, partopt.stage_part = "F"} : tensor<f32>
  %sum = comm.loop_end (%nl) : (tensor<f32>) -> (tensor<f32>)
  %sorted = "stablehlo.sort"(%w) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %nw = stablehlo.add %w, %sorted : tensor<2x4xf32>
  return %sum, %nw : tensor<f32>, tensor<2x4xf32>
}
