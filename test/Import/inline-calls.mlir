// RUN: partopt-opt %s -split-input-file -partopt-inline-calls | FileCheck %s
// RUN: partopt-opt %s -split-input-file -partopt-inline-calls -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Calls of calls, twice each; nothing but the entry stays.
// CHECK-LABEL: func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[NEG0:.+]] = stablehlo.negate %[[X]]
// CHECK-NEXT: %[[ABS0:.+]] = stablehlo.abs %[[NEG0]]
// CHECK-NEXT: %[[NEG1:.+]] = stablehlo.negate %[[ABS0]]
// CHECK-NEXT: %[[ABS1:.+]] = stablehlo.abs %[[NEG1]]
// CHECK-NEXT: return %[[ABS1]], %[[X]]
// CHECK-NOT: func.func {{private|@unused}}
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = call @outer(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = call @outer(%0#1) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#1, %arg0 : tensor<4xf32>, tensor<4xf32>
}
func.func private @outer(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  %1 = call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %arg0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @unused() {
  return
}

// -----

// Calls inside a region.
// CHECK-LABEL: func @main
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NEXT: %[[NEXT:.+]] = stablehlo.negate
// CHECK-NEXT: stablehlo.return %[[NEXT]]
func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %arg0) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @body(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
func.func private @body(%arg0: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.negate %arg0 : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// An inlined op remembers both where it stands and where it was called.
// CHECK-LABEL: func @main
// CHECK-NEXT: stablehlo.negate
// LOC: stablehlo.negate %{{.*}} loc(callsite("model.py":3:5 at "model.py":9:2))
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":9:2 to :7)
  return %0 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32> loc("model.py":3:5 to 4:9)
  return %0 : tensor<4xf32>
}

// -----

// Shardings of the callee and of the call stay as constraints.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[IN:.+]] = sdy.sharding_constraint %[[X]] <@mesh, [{"x"}]>
// CHECK-NEXT: %[[NEG:.+]] = stablehlo.negate %[[IN]]
// CHECK-NEXT: %[[OUT:.+]] = sdy.sharding_constraint %[[NEG]] <@mesh, [{"y"}]>
// CHECK-NEXT: %[[CALL:.+]] = sdy.sharding_constraint %[[OUT]] <@mesh, [{?}]>
// CHECK-NEXT: return %[[CALL]]
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
