// RUN: partopt-opt %s -split-input-file -partopt-assign-roles -partopt-find-layers | FileCheck %s
// RUN: partopt-opt %models/gpt_train_small/model.noloc.mlir -partopt-import | FileCheck %s --check-prefix=NONAMES
// RUN: partopt-opt %models/gpt_train_small/model.mlir -partopt-import | FileCheck %s --check-prefix=GPT
// RUN: partopt-opt %models/gpt_train_small/model.mlir -partopt-import='layers=lnf=head,tok=head' | FileCheck %s --check-prefix=GIVEN

// Two layers of equal ops on equal shapes, an input of another shape in front;
// names that number them otherwise are told of.
// CHECK: module attributes {partopt.layers = [
// CHECK-SAME: forward_ops = 2 : i64, name = "in",
// CHECK-SAME: forward_ops = 4 : i64, name = "layer0", note = "names say p.0, p.1, the ops repeat otherwise", parameters = 2 : i64, repeated = true
// CHECK-SAME: forward_ops = 5 : i64, name = "layer1", note = "names say p.1, p.0, the ops repeat otherwise"
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.layer = "in"
    %in: tensor<3x4xf32> {tf.aliasing_output = 0 : i32} loc("params['in']['w']"),
    // CHECK-SAME: partopt.layer = "layer0"
    %w0: tensor<4x4xf32> {tf.aliasing_output = 1 : i32} loc("params['p'][0]['w']"),
    // CHECK-SAME: partopt.layer = "layer0"
    %b0: tensor<4xf32> {tf.aliasing_output = 2 : i32} loc("params['p'][1]['b']"),
    // CHECK-SAME: partopt.layer = "layer1"
    %w1: tensor<4x4xf32> {tf.aliasing_output = 3 : i32} loc("params['p'][1]['w']"),
    // CHECK-SAME: partopt.layer = "layer1"{{.*}}partopt.note = "frozen: no gradient"
    %b1: tensor<4xf32> {tf.aliasing_output = 4 : i32} loc("params['p'][0]['b']"),
    // CHECK-SAME: partopt.note = "unused", partopt.role = "param"
    %no: tensor<9xf32> {tf.aliasing_output = 5 : i32} loc("params['no']"),
    // Its parameter's layer.
    // CHECK-SAME: partopt.layer = "layer1", partopt.name = "opt_state['m']"
    %m: tensor<4x4xf32> {tf.aliasing_output = 6 : i32} loc("opt_state['m']"),
    // CHECK-SAME: partopt.note = "step counter"
    %count: tensor<i32> {tf.aliasing_output = 7 : i32} loc("opt_state['count']"),
    %x: tensor<8x3xf32> loc("batch"))
    -> (tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<9xf32>, tensor<4x4xf32>, tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %h = stablehlo.dot_general %x, %in, contracting_dims = [1] x [0] : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %t = stablehlo.tanh %h : tensor<8x4xf32>
  %d0 = stablehlo.dot_general %t, %w0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %bb0 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %s0 = stablehlo.add %d0, %bb0 : tensor<8x4xf32>
  %a0 = stablehlo.sine %s0 : tensor<8x4xf32>
  %d1 = stablehlo.dot_general %a0, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %bb1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %s1 = stablehlo.add %d1, %bb1 : tensor<8x4xf32>
  %a1 = stablehlo.sine %s1 : tensor<8x4xf32>
  %loss = stablehlo.reduce(%a1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %gin = stablehlo.dot_general %x, %a1, contracting_dims = [0] x [0] : (tensor<8x3xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %g0 = stablehlo.dot_general %t, %a1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %gb0 = stablehlo.reduce(%a1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  %g1 = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %n = stablehlo.subtract %in, %gin : tensor<3x4xf32>
  %n0 = stablehlo.subtract %w0, %g0 : tensor<4x4xf32>
  %nb0 = stablehlo.subtract %b0, %gb0 : tensor<4xf32>
  %nm = stablehlo.add %m, %g1 : tensor<4x4xf32>
  %n1 = stablehlo.subtract %w1, %nm : tensor<4x4xf32>
  %nc = stablehlo.add %count, %one : tensor<i32>
  return %n, %n0, %nb0, %n1, %b1, %no, %nm, %nc, %loss : tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<9xf32>, tensor<4x4xf32>, tensor<i32>, tensor<f32>
}

// -----

// A stack of which a loop reads a row at a time; queries and keys, side by
// side, are no layers.
// CHECK: partopt.layers = [
// CHECK-SAME: name = "blocks.0"
// CHECK-SAME: name = "blocks.1"
// CHECK-SAME: name = "blocks.2"
// CHECK-SAME: name = "head", note = "", parameters = 2 : i64
// CHECK-LABEL: func @main
func.func @main(
    // CHECK-SAME: partopt.layer = "blocks.*"{{.*}}partopt.note = "a row per layer"
    %w: tensor<3x4x4xf32> {tf.aliasing_output = 0 : i32} loc("params['blocks']['w1']"),
    // CHECK-SAME: partopt.layer = "head"
    %q: tensor<4x2xf32> {tf.aliasing_output = 1 : i32} loc("params['head']['q']"),
    // CHECK-SAME: partopt.layer = "head"
    %k: tensor<4x2xf32> {tf.aliasing_output = 2 : i32} loc("params['head']['k']"),
    %x: tensor<8x4xf32> loc("batch"))
    -> (tensor<3x4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<8x8xf32>) {
  %r0 = stablehlo.slice %w [0:1, 0:4, 0:4] : (tensor<3x4x4xf32>) -> tensor<1x4x4xf32>
  %w0 = stablehlo.reshape %r0 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %d0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %r1 = stablehlo.slice %w [1:2, 0:4, 0:4] : (tensor<3x4x4xf32>) -> tensor<1x4x4xf32>
  %w1 = stablehlo.reshape %r1 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %d1 = stablehlo.dot_general %d0, %w1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %r2 = stablehlo.slice %w [2:3, 0:4, 0:4] : (tensor<3x4x4xf32>) -> tensor<1x4x4xf32>
  %w2 = stablehlo.reshape %r2 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %d2 = stablehlo.dot_general %d1, %w2, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %t = stablehlo.tanh %d2 : tensor<8x4xf32>
  %dq = stablehlo.dot_general %t, %q, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %dk = stablehlo.dot_general %t, %k, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %s = stablehlo.dot_general %dq, %dk, contracting_dims = [1] x [1] : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  return %w, %q, %k, %s : tensor<3x4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<8x8xf32>
}

// Without names the same ten arguments are a layer.
// NONAMES: forward_ops = 8 : i64, name = "first"
// NONAMES-SAME: forward_ops = 93 : i64, name = "layer0", note = "", parameters = 10
// NONAMES-SAME: forward_ops = 93 : i64, name = "layer1", note = "", parameters = 10
// NONAMES-SAME: name = "last", note = "", parameters = 2
// NONAMES-COUNT-10: partopt.layer = "layer0", partopt.name = "arg{{[0-9]}}"
// NONAMES-COUNT-10: partopt.layer = "layer1", partopt.name = "arg1{{[0-9]}}"
// NONAMES: partopt.name = "arg23", {{[^%]*}}partopt.note = "tied: also read in last"

// GPT: forward_ops = 93 : i64, name = "layers.0", note = "", parameters = 10
// GPT-SAME: forward_ops = 93 : i64, name = "layers.1", note = "", parameters = 10
// GPT-SAME: name = "lnf", note = "", parameters = 2
// GPT: partopt.layer = "layers.0", partopt.name = "opt_state[0].nu['layers'][0]['upb']"

// GIVEN-NOT: name = "lnf"
// GIVEN: name = "head", note = "", parameters = 3
// GIVEN: partopt.layer = "head", partopt.name = "params['tok']"
