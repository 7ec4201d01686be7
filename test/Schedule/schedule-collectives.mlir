// Collectives start when their operands are there and are waited for late.
// RUN: partopt-opt %s -partopt-schedule-collectives="prefetch=1" | FileCheck %s
// RUN: partopt-opt %s -partopt-schedule-collectives="lookahead=0" | FileCheck %s --check-prefix=NOLOOK

func.func private @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {partopt.kernel} {
  return %a : tensor<4xf32>
}

// The gradient is reduced while the rest of the backward pass runs; the view of
// its result does not force the wait.
// CHECK-LABEL: @overlap
func.func @overlap(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[GRADIENT:.+]] = call @k(%arg0)
  // CHECK-NEXT: %[[PENDING:.+]] = comm.all_reduce {"data"=2} sum %[[GRADIENT]] {partopt.why = "g"} : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  // CHECK-NEXT: %[[REST:.+]] = call @k(%[[GRADIENT]])
  // CHECK-NEXT: %[[SUM:.+]] = comm.wait %[[PENDING]]
  // CHECK-NEXT: %[[VIEW:.+]] = stablehlo.reshape %[[SUM]]
  // CHECK-NEXT: %[[BACK:.+]] = stablehlo.reshape %[[VIEW]]
  // CHECK-NEXT: %[[UPDATE:.+]] = call @k(%[[BACK]])
  // CHECK-NEXT: return %[[UPDATE]], %[[REST]]
  %0 = func.call @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = comm.all_reduce {"data"=2} sum %0 {partopt.why = "g"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x2xf32>) -> tensor<4xf32>
  %4 = func.call @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = func.call @k(%3) : (tensor<4xf32>) -> tensor<4xf32>
  return %5, %4 : tensor<4xf32>, tensor<4xf32>
}

// A step that would wait lets a later one pass, within the lookahead.
// CHECK-LABEL: @passing
// NOLOOK-LABEL: @passing
func.func @passing(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: comm.all_reduce
  // CHECK-NEXT: call @k(%arg1)
  // CHECK-NEXT: comm.wait
  // NOLOOK-NEXT: comm.all_reduce
  // NOLOOK-NEXT: comm.wait
  // NOLOOK-NEXT: call @k
  // NOLOOK-NEXT: call @k(%arg1)
  %0 = comm.all_reduce {"model"=2} sum %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// With one gather in flight, the second parameter is gathered when the first
// one is there, while it is used.
// CHECK-LABEL: @prefetch
func.func @prefetch(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.+]] = comm.all_gather {"data"=2} dim = 0 %arg0
  // CHECK-NEXT: comm.wait %[[A]]
  // CHECK-NEXT: %[[B:.+]] = comm.all_gather {"data"=2} dim = 0 %arg1
  // CHECK-NEXT: call @k
  // CHECK-NEXT: comm.wait %[[B]]
  // CHECK-NEXT: call @k
  %0 = comm.all_gather {"data"=2} dim = 0 %a {partopt.storage_gather} : (tensor<2xf32>) -> tensor<4xf32>
  %1 = comm.all_gather {"data"=2} dim = 0 %b {partopt.storage_gather} : (tensor<2xf32>) -> tensor<4xf32>
  %2 = func.call @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = func.call @k(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// A chain of collectives, one returned directly; a view that nobody reads goes.
// CHECK-LABEL: @chain
func.func @chain(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[S:.+]] = comm.reduce_scatter
  // CHECK-NEXT: %[[PART:.+]] = comm.wait %[[S]]
  // CHECK-NEXT: %[[G:.+]] = comm.all_gather {"data"=2} dim = 0 %[[PART]]
  // CHECK-NEXT: %[[FULL:.+]] = comm.wait %[[G]]
  // CHECK-NEXT: return %[[PART]], %[[FULL]]
  %v = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
  %0 = comm.reduce_scatter {"data"=2} sum dim = 0 %a : (tensor<4xf32>) -> tensor<2xf32>
  %1 = comm.all_gather {"data"=2} dim = 0 %0 : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<2xf32>, tensor<4xf32>
}
