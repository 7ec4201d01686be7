// What propagation does with fits, conflicts, closed dimensions and parts.
// RUN: partopt-opt %s --split-input-file --sdy-basic-propagate | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: partopt-opt %s --split-input-file --sdy-aggressive-propagate | FileCheck %s --check-prefixes=CHECK,AGGRESSIVE
// RUN: partopt-opt %s --split-input-file --sdy-user-priority-propagate | FileCheck %s --check-prefixes=CHECK,AGGRESSIVE

// Along a product: rows, columns and the summed dimension are three factors.
// CHECK-LABEL: func @product
// CHECK-SAME: %arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}
// CHECK-SAME: %arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}
// CHECK: dot_general {{.*}}<@mesh, [{"a", ?}, {?}]>
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @product(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>},
                   %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Rows and columns compete for an axis: nobody gets it, or the larger tensor.
// CHECK-LABEL: func @competition
// BASIC: dot_general %arg0, %arg1, contracting_dims = [1] x [0] :
// AGGRESSIVE: dot_general {{.*}}<@mesh, [{"a", ?}, {?}]>
sdy.mesh @mesh = <["a"=2]>
func.func @competition(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>},
                       %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A closed dimension takes nothing; a replicated axis goes nowhere.
// CHECK-LABEL: func @limits
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}
// CHECK-SAME: %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"a"}>}
sdy.mesh @mesh = <["a"=2]>
func.func @limits(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>},
                  %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>},
                  %z: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"a"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  %1 = stablehlo.add %x, %z : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// An axis larger than the major factor goes on into the next one in parts.
// CHECK-LABEL: func @parts
// CHECK: reshape {{.*}}<@mesh, [{"a":(1)2, ?}, {"a":(2)2, ?}]>
sdy.mesh @mesh = <["a"=4]>
func.func @parts(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<2x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// 7 rows on 4 devices are padded; a major factor of 3 takes no axis of 2.
// CHECK-LABEL: func @uneven
// CHECK: negate {{.*}}<@mesh, [{"a", ?}]>
// CHECK: reshape %arg1 : (tensor<12xf32>) -> tensor<3x4xf32>
sdy.mesh @mesh = <["a"=4]>
func.func @uneven(%x: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
                  %y: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<7xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.negate %x : tensor<7xf32>
  %1 = stablehlo.reshape %y : (tensor<12xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<7xf32>, tensor<3x4xf32>
}

// -----

// Axes of size 1 split nothing and are dropped.
// CHECK-LABEL: func @one
// CHECK: negate {{.*}}<@mesh, [{"a", ?}]>
sdy.mesh @mesh = <["one"=1, "a"=4]>
func.func @one(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one", "a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Without mesh nothing changes.
// CHECK-LABEL: func @none
// CHECK: negate %arg0 : tensor<8xf32>
func.func @none(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
