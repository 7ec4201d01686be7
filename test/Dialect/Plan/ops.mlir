// Every operation and attribute of the plan dialect round-trips.
// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt %s --mlir-print-op-generic | partopt-opt | FileCheck %s

#axes = #plan.axis_ref<"data" (1)2>

// CHECK-LABEL: plan.program @step mesh [#plan.axis<"data" = 2>, #plan.axis<"micro" = 4, time>]
// CHECK-SAME: resident 128 arena 384 peak 512 streams 1
plan.program @step mesh [#plan.axis<"data" = 2>, #plan.axis<"micro" = 4, time>]
    resident 128 arena 384 peak 512 streams 1 attributes {
      arguments = [
        #plan.tensor<name = "w", index = "arg0", local = tensor<4x4xf32>,
          global = tensor<8x4xf32>, role = param,
          sharding = [[#axes], []], text = "[{\22data\22}, {}]">,
        #plan.tensor<name = "x", index = "arg1", local = tensor<4x4xf32>,
          global = tensor<4x4xf32>>],
      results = [
        #plan.tensor<name = "out", index = "out0", local = tensor<4x4xf32>,
          global = tensor<8x4xf32>>],
      loss_result = 0 : i64} {
  // CHECK: %[[W:.+]] = plan.buffer resident[0 : 64] live[0, 6]
  %w = plan.buffer resident[0 : 64] live [0, 6]
  %x = plan.buffer resident[64 : 64] live [0, 6]
  // CHECK: %[[FULL:.+]] = plan.buffer arena[0 : 128] live[0, 2]
  %full = plan.buffer arena[0 : 128] live [0, 2]
  %y = plan.buffer arena[128 : 64] live [2, 6]
  %z = plan.buffer arena[192 : 64] live [3, 6]
  %i = plan.buffer arena[256 : 4] live [4, 6]
  %s = plan.buffer arena[320 : 64] live [0, 1]
  // CHECK: %[[EVENT:.+]] = plan.collective_start all_gather none f32
  // CHECK-SAME: over [#plan.axis_ref<"data"(1) 2>] reads(%[[W]]) writes(%[[FULL]])
  // CHECK-SAME: scratch(%{{.+}}) counts [16] id 0 stream 0 {why = "gather w"}
  %e = plan.collective_start all_gather none f32 over [#axes]
    reads(%w) writes(%full) scratch(%s) counts [16] id 0 stream 0
    {why = "gather w"}
  // CHECK: plan.wait %[[EVENT]]
  plan.wait %e
  // CHECK: plan.gemm f32 reads(%{{.+}}, %{{.+}}) writes(%{{.+}}) batch 1
  // CHECK-SAME: mnk[4, 4, 4] trans_a accumulate ld[4, 4, 4] stride[16, 16, 16]
  // CHECK-SAME: {flops = 128 : i64, label = "dot", phase = #plan<phase forward>}
  plan.gemm f32 reads(%w, %x) writes(%y) batch 1 mnk [4, 4, 4] trans_a accumulate
    ld [4, 4, 4] stride [16, 16, 16]
    {phase = #plan<phase forward>, label = "dot", flops = 128 : i64}
  // CHECK: plan.launch @k0 reads(%{{.+}}, %{{.+}}) writes(%{{.+}})
  plan.launch @k0 reads(%x, %y) writes(%z)
  // CHECK: plan.axis_index [#plan.axis_ref<"data"(1) 2>] writes(%{{.+}})
  plan.axis_index [#axes] writes(%i)
  // CHECK: plan.copy %{{.+}} to %[[W]]
  plan.copy %z to %w
  // CHECK: plan.launch @k1 reads() writes(%{{.+}})
  plan.launch @k1 reads() writes(%y)
  // CHECK: plan.return arguments(%[[W]], %{{.+}}) results(%{{.+}}) aliases [0]
  plan.return arguments(%w, %x) results(%z) aliases [0]
}

// A loop over an axis in time.
// CHECK-LABEL: plan.program @loop
plan.program @loop mesh [#plan.axis<"micro" = 4, time>]
    resident 64 arena 128 peak 192 streams 0 attributes {arguments = [], results = []} {
  %a = plan.buffer arena[0 : 64] live [0, 1]
  %i = plan.buffer arena[64 : 4] live [0, 1]
  // CHECK: plan.loop_begin "micro" = 4 index(%{{.+}}) reads(%{{.+}}) writes(%{{.+}})
  plan.loop_begin "micro" = 4 index(%i) reads(%a) writes(%a)
  // CHECK: plan.loop_end reads(%{{.+}}) writes(%{{.+}})
  plan.loop_end reads(%a) writes(%a)
  plan.return arguments() results() aliases []
}
