// RUN: partopt-opt %s -partopt-assign-wrap-units | FileCheck %s --check-prefix=LAYER
// RUN: partopt-opt %s -partopt-assign-wrap-units=bytes=100 | FileCheck %s --check-prefix=SIZE
// RUN: partopt-opt %s -partopt-assign-wrap-units='wrap=/([ab])$' | FileCheck %s --check-prefix=NAME
// RUN: partopt-opt %s -partopt-assign-wrap-units=wrap=none | FileCheck %s --check-prefix=NONE --implicit-check-not='wrap_unit = "h'
// RUN: not partopt-opt %s -partopt-assign-wrap-units=wrap=nobody 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: --wrap 'nobody' matches no parameter's name; explain --roles shows them

// 64 bytes each: two fill a unit of 100 bytes. What is annotated stays, and
// only parameters have units.
sdy.mesh @mesh = <["data"=2]>
// NONE-LABEL: func @main
// LAYER-LABEL: func @main
// SIZE-LABEL: func @main
// NAME-LABEL: func @main
func.func @main(
    // LAYER-SAME: partopt.wrap_unit = "h.0"
    // SIZE-SAME: partopt.wrap_unit = "unit0"
    // NAME-SAME: partopt.wrap_unit = "a"
    %a0: tensor<4x4xf32> {partopt.role = "param", partopt.name = "h/0/a", tf.aliasing_output = 0 : i32},
    // LAYER-SAME: partopt.wrap_unit = "h.1"
    // SIZE-SAME: partopt.wrap_unit = "unit0"
    // NAME-SAME: partopt.wrap_unit = "a"
    %a1: tensor<4x4xf32> {partopt.role = "param", partopt.name = "h/1/a", tf.aliasing_output = 1 : i32},
    // LAYER-SAME: partopt.wrap_unit = "h.2"
    // SIZE-SAME: partopt.wrap_unit = "unit1"
    // NAME-SAME: partopt.wrap_unit = "b"
    %b2: tensor<4x4xf32> {partopt.role = "param", partopt.name = "h/2/b", tf.aliasing_output = 2 : i32},
    // LAYER-SAME: partopt.wrap_unit = "mine"
    // SIZE-SAME: partopt.wrap_unit = "mine"
    // NAME-SAME: partopt.wrap_unit = "mine"
    // NONE-SAME: partopt.wrap_unit = "mine"
    %c3: tensor<4x4xf32> {partopt.role = "param", partopt.name = "h/3/c", partopt.wrap_unit = "mine", tf.aliasing_output = 3 : i32},
    // LAYER-SAME: partopt.wrap_unit = "h.4"
    // NAME-SAME: partopt.wrap_unit = "root"
    %d4: tensor<4x4xf32> {partopt.role = "param", partopt.name = "h/4/d", tf.aliasing_output = 4 : i32},
    // LAYER-SAME: partopt.role = "batch"}
    // SIZE-SAME: partopt.role = "batch"}
    %x: tensor<8x4xf32> {partopt.role = "batch", partopt.name = "x"})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %x, %a0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %0, %a1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %1, %b2, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.dot_general %2, %c3, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.dot_general %3, %d4, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %a0, %a1, %b2, %c3, %d4, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>
}
