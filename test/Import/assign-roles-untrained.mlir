// What goes around and is needed for the loss is a parameter if a gradient may
// be taken of it: not a scale that grows or shrinks, nor an average.
// RUN: partopt-opt %s -partopt-assign-roles | FileCheck %s

// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: %arg0: tensor<4x4xf32> {{[{][^%]*}}partopt.role = "param"
    %w: tensor<4x4xf32> {tf.aliasing_output = 0 : i32},
    // Trained, and a single number.
    // CHECK-SAME: %arg1: tensor<f32> {{[{][^%]*}}partopt.role = "param"
    %b: tensor<f32> {tf.aliasing_output = 1 : i32},
    // CHECK-SAME: %arg2: tensor<f32> {{[{][^%]*}}partopt.role = "opt", partopt.role_reason = "donated, made of itself and of scalars"
    %scale: tensor<f32> {tf.aliasing_output = 2 : i32},
    // CHECK-SAME: %arg3: tensor<i32> {{[{][^%]*}}partopt.role = "opt", partopt.role_reason = "donated, only optimizer state needs it"
    %count: tensor<i32> {tf.aliasing_output = 3 : i32},
    // CHECK-SAME: %arg4: tensor<f32> {{[{][^%]*}}partopt.role = "state", partopt.role_reason = "donated, a running average, no gradient is taken of it"
    %average: tensor<f32> {tf.aliasing_output = 4 : i32},
    %x: tensor<8x4xf32>)
    -> (tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<2000> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %keep = stablehlo.constant dense<0.9> : tensor<f32>
  %take = stablehlo.constant dense<0.1> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %shift = stablehlo.subtract %b, %average : tensor<f32>
  %shifts = stablehlo.broadcast_in_dim %shift, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %d = stablehlo.add %xw, %shifts : tensor<8x4xf32>
  %dd = stablehlo.multiply %d, %d : tensor<8x4xf32>
  %plain = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %loss = stablehlo.multiply %plain, %scale : tensor<f32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %gd = stablehlo.multiply %d, %scales : tensor<8x4xf32>
  %gw = stablehlo.dot_general %x, %gd, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gb = stablehlo.reduce(%gd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %new_w = stablehlo.subtract %w, %gw : tensor<4x4xf32>
  %b_kept = stablehlo.multiply %keep, %b : tensor<f32>
  %new_b = stablehlo.subtract %b_kept, %gb : tensor<f32>
  %finite = stablehlo.is_finite %gb : (tensor<f32>) -> tensor<i1>
  %full = stablehlo.compare GE, %count, %many, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %doubled = stablehlo.multiply %scale, %two : tensor<f32>
  %grown = stablehlo.select %full, %doubled, %scale : tensor<i1>, tensor<f32>
  %halved = stablehlo.divide %scale, %two : tensor<f32>
  %new_scale = stablehlo.select %finite, %grown, %halved : tensor<i1>, tensor<f32>
  %new_count = stablehlo.add %count, %one : tensor<i32>
  %old_part = stablehlo.multiply %keep, %average : tensor<f32>
  %new_part = stablehlo.multiply %take, %plain : tensor<f32>
  %new_average = stablehlo.add %old_part, %new_part : tensor<f32>
  return %new_w, %new_b, %new_scale, %new_count, %new_average, %loss
      : tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>
}
