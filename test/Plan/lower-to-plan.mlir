// Values become byte ranges: views share them, donated arguments take results,
// collectives hold theirs until the wait, the rest is packed.
// RUN: partopt-opt %s -split-input-file -partopt-lower-to-plan | FileCheck %s

sdy.mesh @mesh = <["data"=2]>

func.func private @k0(%a: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {partopt.kernel} {
  %0 = stablehlo.negate %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The signature carries names, roles, shardings and the global type; the
// gathered copy lives from the start of the collective.
// CHECK-LABEL: plan.program @main mesh [#plan.axis<"data" = 2>]
// CHECK-SAME: resident 256 arena 512 peak 768 streams 1
// CHECK-SAME: #plan.tensor<name = "w", index = "arg0", local = tensor<4x8xf32>, global = tensor<8x8xf32>, role = param
// CHECK-SAME: sharding = {{\[\[}}#plan.axis_ref<"data"(1) 2>], []], text = "[{\22data\22}, {}]">
// CHECK-SAME: loss_result = 0
func.func @main(%w: tensor<4x8xf32> {partopt.name = "w", partopt.role = "param",
      partopt.global_type = tensor<8x8xf32>,
      sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %x: tensor<4x8xf32>) -> (tensor<4x8xf32> {partopt.loss}) {
  // CHECK: %[[W:.+]] = plan.buffer resident[0 : 128] live[0, 3]
  // CHECK: %[[X:.+]] = plan.buffer resident[128 : 128] live[0, 3]
  // CHECK: %[[FULL:.+]] = plan.buffer arena[[FULL_AT:.+]] live[0, 3]
  // CHECK: %[[NEGATED:.+]] = plan.buffer arena[[NEGATED_AT:.+]] live[1, 3]
  // CHECK: %[[EVENT:.+]] = plan.collective_start all_gather none f32
  // CHECK-SAME: over [#plan.axis_ref<"data"(1) 2>] reads(%[[W]]) writes(%[[FULL]]) counts [32] id 0 stream 0
  // CHECK-SAME: why = "parameter before its use"
  %p = comm.all_gather {"data"=2} dim = 0 %w {partopt.why = "parameter before its use"}
    : (tensor<4x8xf32>) -> !comm.pending<tensor<8x8xf32>>
  // CHECK: plan.launch @k0 reads(%[[X]]) writes(%[[NEGATED]])
  %n = func.call @k0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: plan.wait %[[EVENT]]
  %full = comm.wait %p : (!comm.pending<tensor<8x8xf32>>) -> tensor<8x8xf32>
  // CHECK: plan.gemm f32 reads(%[[NEGATED]], %[[FULL]]) writes(%[[Y:.+]]) batch 1
  // CHECK-SAME: mnk[4, 8, 8] ld[8, 8, 8] stride[32, 64, 32]
  // CHECK-SAME: flops = 512
  %y = stablehlo.dot_general %n, %full, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK: plan.return arguments(%[[W]], %[[X]]) results(%[[Y]]) aliases [-1]
  return %y : tensor<4x8xf32>
}

// -----

func.func private @k0(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The update reads its parameter, so it may not write over it: the executor
// copies. The second kernel reads only what the first made: it writes in place.
// CHECK-LABEL: plan.program @main
func.func @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32},
    %m: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[W:.+]] = plan.buffer resident[0 : 16]
  // CHECK: %[[M:.+]] = plan.buffer resident[64 : 16]
  // CHECK: %[[NEW_W:.+]] = plan.buffer arena
  // CHECK: plan.launch @k0 reads(%[[W]], %[[M]]) writes(%[[NEW_W]])
  %0 = func.call @k0(%w, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.launch @k0 reads(%[[NEW_W]], %[[NEW_W]]) writes(%[[M]])
  %1 = func.call @k0(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.return {{.*}} results(%[[NEW_W]], %[[M]]) aliases [0, 1]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @k0(%a: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %b: tensor<4xf32>)
    -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A kernel that says so writes over the argument that its result takes, and
// over an input that dies; its variant knows that the two are one.
// CHECK: func.func private @k0({{.*}}{partopt.may_be_overwritten_by = array<i64: 0>}
// CHECK: func.func private @k0_r0_over_a0({{.*}}{partopt.may_be_overwritten_by = array<i64: 0>, partopt.overwritten_by = 0 : i64}
// CHECK-LABEL: plan.program @main
// CHECK-SAME: arena 64
func.func @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>)
    -> tensor<4xf32> {
  // CHECK: %[[W:.+]] = plan.buffer resident[0 : 16]
  // CHECK: %[[X:.+]] = plan.buffer resident[64 : 16]
  // CHECK: %[[T:.+]] = plan.buffer arena[0 : 16] live[0, 2]
  // CHECK: plan.launch @k0 reads(%[[X]], %[[X]]) writes(%[[T]])
  %0 = func.call @k0(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.launch @k0_r0_over_a0 reads(%[[T]], %[[X]]) writes(%[[T]])
  %1 = func.call @k0(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.launch @k0_r0_over_a0 reads(%[[W]], %[[T]]) writes(%[[W]])
  %2 = func.call @k0(%w, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Two arguments change places: one of the two must be copied away before the
// executor moves results into arguments; both are.
// CHECK-LABEL: plan.program @main
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 1 : i32},
    %b: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.+]] = plan.buffer resident[0 : 16]
  // CHECK: %[[B:.+]] = plan.buffer resident[64 : 16]
  // CHECK: plan.copy %[[A]] to %[[A_COPY:[^ ]+]]
  // CHECK: plan.copy %[[B]] to %[[B_COPY:[^ ]+]]
  // CHECK: results(%[[A_COPY]], %[[B_COPY]]) aliases [1, 0]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @k0(%a: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An argument handed through, under its own alias and under none, needs no
// copy. A value returned twice is copied where its first place is taken.
// CHECK-LABEL: plan.program @main
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>,
    %c: tensor<4xf32> {tf.aliasing_output = 2 : i32})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.+]] = plan.buffer resident[0 : 16]
  // CHECK: %[[B:.+]] = plan.buffer resident[64 : 16]
  // CHECK: %[[C:.+]] = plan.buffer resident[128 : 16]
  // CHECK: plan.launch @k0 reads(%[[B]]) writes(%[[C]])
  %0 = func.call @k0(%b) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.copy %[[C]] to %[[COPY:[^ ]+]]
  // CHECK: results(%[[A]], %[[B]], %[[C]], %[[COPY]]) aliases [0, -1, 2, -1]
  return %a, %b, %0, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @k0() -> tensor<2x3xf64> attributes {partopt.kernel} {
  %0 = stablehlo.constant dense<1.0> : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// Reshapes are views; transposed and batched products keep their operands.
// CHECK-LABEL: plan.program @main
func.func @main() -> tensor<2x3x3xf64> {
  // CHECK: plan.launch @k0 reads() writes(%[[K:.+]])
  %0 = func.call @k0() : () -> tensor<2x3xf64>
  %1 = stablehlo.reshape %0 : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
  // CHECK: plan.gemm f64 reads(%[[K]], %[[K]]) writes(%[[Y:.+]]) batch 2
  // CHECK-SAME: mnk[3, 3, 1] trans_a ld[3, 3, 3] stride[3, 3, 9]
  %2 = stablehlo.dot_general %1, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<2x1x3xf64>, tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
  // CHECK: results(%[[Y]])
  return %2 : tensor<2x3x3xf64>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func private @k0(%i: tensor<i32>) -> tensor<4xf32> attributes {partopt.kernel} {
  %0 = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A collective that was not split is started and waited for at once; an
// all-reduce writes over an operand that dies there. Each list of axes has its
// own stream.
// CHECK-LABEL: plan.program @main
// CHECK-SAME: streams 2
func.func @main() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: plan.axis_index [#plan.axis_ref<"a"(1) 2>, #plan.axis_ref<"b"(2) 2>] writes(%[[I:.+]])
  %i = comm.axis_index {"a"=2, "b":(2)2} : tensor<i32>
  // CHECK: plan.launch @k0 reads(%[[I]]) writes(%[[V:.+]])
  %v = func.call @k0(%i) : (tensor<i32>) -> tensor<4xf32>
  // CHECK: %[[E0:.+]] = plan.collective_start all_reduce max f32
  // CHECK-SAME: over [#plan.axis_ref<"a"(1) 2>] reads(%[[V]]) writes(%[[V]])
  // CHECK-SAME: id 0 stream 0
  // CHECK-NEXT: plan.wait %[[E0]]
  %r = comm.all_reduce {"a"=2} max %v : (tensor<4xf32>) -> (tensor<4xf32>)
  // CHECK: %[[E1:.+]] = plan.collective_start permute none f32
  // CHECK-SAME: reads(%[[V]]) writes(%[[P:.+]]) counts [4] id 1 stream 1
  // CHECK-SAME: permutation = array<i64: 1, 0>
  %p = comm.permute {"b":(2)2} to = [1, 0] %r : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %p : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func private @k0(%a: tensor<4xf32> {partopt.may_be_overwritten_by = array<i64: 0>}) -> tensor<4xf32>
    attributes {partopt.kernel} {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The next value of an argument that is not donated has memory of its own, from
// which the executor copies after the step.
// CHECK-LABEL: plan.program @main
// CHECK-SAME: resident 64 arena 64 peak 128
func.func @main(%w: tensor<4xf32> {partopt.next_result = 0 : i32}) -> tensor<4xf32> {
  // CHECK: %[[W:.+]] = plan.buffer resident[0 : 16]
  // CHECK: %[[NEW_W:.+]] = plan.buffer arena[0 : 16]
  // CHECK: plan.launch @k0 reads(%[[W]]) writes(%[[NEW_W]])
  %0 = func.call @k0(%w) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: results(%[[NEW_W]]) aliases [0]
  return %0 : tensor<4xf32>
}

// -----

// One that is laid out in another way is no error, but it is not fed back.
// CHECK: partopt.warnings = [{code = "next-value"{{.*}}message = "result 0, #sdy.sharding<@mesh, [{}, {\22data\22}]>, is the next value of argument 0, #sdy.sharding<@mesh, [{\22data\22}, {}]>, but laid out in another way: steps do not pass it on; give both the same sharding"
// CHECK: plan.return {{.*}} aliases [-1]
sdy.mesh @mesh = <["data"=2]>
func.func @main(%w: tensor<4x4xf32> {partopt.next_result = 0 : i32,
      sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, partopt.global_type = tensor<8x4xf32>},
      %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>,
        partopt.global_type = tensor<4x8xf32>}) {
  return %x : tensor<4x4xf32>
}
