// RUN: partopt-opt %s --partopt-order-segments=schedule=1f1b -partopt-lower-to-plan | FileCheck %s

// Two ranks with a forward and a backward segment each, in 1F1B. A program is a
// rank's; its turns are pairs of loop and iteration.
// CHECK-LABEL: plan.program @main_rank0
// CHECK-SAME: streams 2
// CHECK-SAME: pipeline_axis = "pipe", pipeline_rank = 0
// CHECK-SAME: turns = array<i64: 0, 0, 0, 1, 1, 0, 0, 2, 1, 1, 0, 3, 1, 2, 1, 3>

// The rows that F leaves for B have a slot for each of two microbatches that are
// there at once, what is sent one for the message that is under way, and what is
// received one for that which is received ahead. All live over all turns, and so
// does the gradient, which keeps one place.
// CHECK-DAG: %[[GRAD:.+]] = plan.buffer arena[{{.*}} : 256] live[0, 10]{{$}}
// CHECK-DAG: %[[ROWS:.+]] = plan.buffer arena[{{.*}} : 128] live[1, 10] {holds = [#plan.held<activations from 1>], slots = 2 : i64, stride = 128 : i64}
// CHECK: plan.launch @zeros reads() writes(%[[GRAD]])

// Segments are labelled as a schedule's actions, and say what is forward; messages
// of both ways have streams of their own.
// CHECK: plan.loop_begin {{.*}} {label = "0F", {{.*}}phase = #plan<phase forward>}
// CHECK: plan.launch @rows {{.*}} writes(%[[ROWS]])
// CHECK: plan.gemm {{.*}} writes(%[[SENT:.+]]) batch
// CHECK: plan.collective_start send none f32 over [#plan.axis_ref<"pipe"(1) 2>] reads(%[[SENT]]) writes() counts [32] id 0 stream 0 {{.*}}phase = #plan<phase forward>, root = 1
// CHECK-NEXT: plan.loop_end
// CHECK: plan.loop_begin {{.*}} reads(%[[GRAD]]) writes(%[[GRAD]]) {label = "0B", {{.*}}phase = #plan<phase backward>}
// CHECK-NEXT: %[[EVENT:.+]] = plan.collective_start recv none f32 over [#plan.axis_ref<"pipe"(1) 2>] reads() writes(%[[D:.+]]) counts [32] id 1 stream 1
// CHECK-NEXT: plan.wait %[[EVENT]]
// CHECK-NEXT: plan.gemm {{.*}} reads(%[[ROWS]], %[[D]]) writes(%[[GRAD]]) {{.*}} accumulate

// The last stage runs F and B in turn: what only they share needs one slot.
// CHECK-LABEL: plan.program @main_rank1
// CHECK-SAME: turns = array<i64: 0, 0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2, 0, 3, 1, 3>
// CHECK: plan.launch @sine reads(%{{.+}}) writes(%[[Y:.+]]) {
// CHECK: plan.gemm f32 reads(%[[Y]], %{{.+}}) writes(%[[SENT:.+]]) batch
// CHECK-NEXT: plan.collective_start send {{.*}} reads(%[[SENT]]) {{.*}} id 1 stream 1

module attributes {partopt.time_axes = {micro = 4 : i64}} {
sdy.mesh @mesh = <["pipe"=2, "micro"=4]>

func.func private @rows(%x: tensor<16x8xf32>, %i: tensor<i32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @sine(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %0 = stablehlo.sine %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @zeros() -> tensor<8x8xf32> attributes {partopt.kernel} {
  %0 = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @sum(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {partopt.kernel} {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

func.func @main_rank0(%w: tensor<8x8xf32> {partopt.argument = 0 : i64, partopt.role = "param"},
                      %x: tensor<16x8xf32> {partopt.argument = 2 : i64, partopt.role = "batch"})
    -> (tensor<8x8xf32> {partopt.result = 0 : i64})
    attributes {partopt.rank = 0 : i64, partopt.pipeline_axis = "pipe", partopt.results = 2 : i64} {
  %z = func.call @zeros() : () -> tensor<8x8xf32>
  %i = comm.loop_begin "micro" = 4 () {partopt.stage = 0 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  %r = func.call @rows(%x, %i) : (tensor<16x8xf32>, tensor<i32>) -> tensor<4x8xf32>
  %h = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  comm.send {"pipe"=2} to = 1 channel = 0 %h : tensor<4x8xf32>
  comm.loop_end () : () -> ()
  %j, %a = comm.loop_begin "micro" = 4 (%z) {partopt.stage = 0 : i64, partopt.stage_part = "B"} : (tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>)
  %d = comm.recv {"pipe"=2} from = 1 channel = 1 : tensor<4x8xf32>
  %g = stablehlo.dot_general %r, %d, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n = func.call @sum(%a, %g) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = comm.loop_end (%n) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

func.func @main_rank1(%v: tensor<8x8xf32> {partopt.argument = 1 : i64, partopt.role = "param"})
    -> (tensor<8x8xf32> {partopt.result = 1 : i64})
    attributes {partopt.rank = 1 : i64, partopt.pipeline_axis = "pipe", partopt.results = 2 : i64} {
  %z = func.call @zeros() : () -> tensor<8x8xf32>
  %i = comm.loop_begin "micro" = 4 () {partopt.stage = 1 : i64, partopt.stage_part = "F"} : () -> tensor<i32>
  %h = comm.recv {"pipe"=2} from = 0 channel = 0 : tensor<4x8xf32>
  %y = func.call @sine(%h) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  comm.loop_end () : () -> ()
  %j, %a = comm.loop_begin "micro" = 4 (%z) {partopt.stage = 1 : i64, partopt.stage_part = "B"} : (tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>)
  %d = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  comm.send {"pipe"=2} to = 0 channel = 1 %d : tensor<4x8xf32>
  %g = stablehlo.dot_general %h, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n = func.call @sum(%a, %g) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = comm.loop_end (%n) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
}
