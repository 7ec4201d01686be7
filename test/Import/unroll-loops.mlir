// Loops with a known number of iterations are written out.
// RUN: partopt-opt %s --split-input-file --partopt-unroll-loops | FileCheck %s
// RUN: partopt-opt %s --split-input-file --partopt-unroll-loops=max-trips=2 | FileCheck %s --check-prefix=LIMIT

// A scan over stacked weights: static slices, and the sharding of the loop's
// result as a constraint.
// CHECK-LABEL: func @scan
// CHECK-NOT: while
// CHECK: slice %arg0 [0:1, 0:4]
// CHECK: %[[FIRST:.+]] = stablehlo.add %arg1
// CHECK: slice %arg0 [1:2, 0:4]
// CHECK: %[[SECOND:.+]] = stablehlo.add %[[FIRST]]
// CHECK: slice %arg0 [2:3, 0:4]
// CHECK: %[[THIRD:.+]] = stablehlo.add %[[SECOND]]
// CHECK: %[[RESULT:.+]] = sdy.sharding_constraint %[[THIRD]] <@mesh, [{"x"}]>
// CHECK: return %[[RESULT]]
// LIMIT-LABEL: func @scan
// LIMIT: while
sdy.mesh @mesh = <["x"=2]>
func.func @scan(%w: tensor<3x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = "stablehlo.while"(%zero, %w, %x) ({
  ^bb0(%i: tensor<i32>, %ws: tensor<3x4xf32>, %c: tensor<4xf32>):
    %n = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %ws: tensor<3x4xf32>, %c: tensor<4xf32>):
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rows = stablehlo.constant dense<3> : tensor<i32>
    %below = stablehlo.compare LT, %i, %none, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wrapped = stablehlo.add %i, %rows : tensor<i32>
    %at = stablehlo.select %below, %wrapped, %i : tensor<i1>, tensor<i32>
    %row = stablehlo.dynamic_slice %ws, %at, %none, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %v = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
    %d = stablehlo.add %c, %v : tensor<4xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %ws, %d : tensor<i32>, tensor<3x4xf32>, tensor<4xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{"x"}]>]>} : (tensor<i32>, tensor<3x4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<3x4xf32>, tensor<4xf32>)
  return %r#2 : tensor<4xf32>
}

// -----

// No iteration at all: the operands are the results. The counter is unsigned and
// counts down.
// CHECK-LABEL: func @never
// CHECK: return %arg0
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<ui32>, tensor<4xf32>
   cond {
    %go = stablehlo.compare GT, %i, %zero, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %one : tensor<ui32>
    %d = stablehlo.negate %c : tensor<4xf32>
    stablehlo.return %next, %d : tensor<ui32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// An input decides when it ends: it stays.
// CHECK-LABEL: func @until
// CHECK: while
func.func @until(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %go = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.negate %c : tensor<4xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// An inner loop whose trips the outer counter decides: 1 and 2 negations.
// CHECK-LABEL: func @nested
// CHECK-COUNT-3: negate
// CHECK-NOT: negate
// CHECK: return
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %go = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %inner:2 = stablehlo.while(%j = %zero, %d = %c) : tensor<i32>, tensor<4xf32>
     cond {
      %go = stablehlo.compare LT, %j, %next, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %more = stablehlo.add %j, %one : tensor<i32>
      %e = stablehlo.negate %d : tensor<4xf32>
      stablehlo.return %more, %e : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %next, %inner#1 : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
