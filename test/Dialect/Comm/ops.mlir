// RUN: partopt-opt %s | partopt-opt | FileCheck %s
// RUN: partopt-opt %s --mlir-print-op-generic | partopt-opt | FileCheck %s

// A bucket of two gradients is one collective.
// CHECK-LABEL: @all_reduce
func.func @all_reduce(%a: tensor<4xf32>, %b: tensor<8x2xf32>) -> (tensor<4xf32>, tensor<8x2xf32>) {
  // CHECK: comm.all_reduce {"data"=8} sum %arg0, %arg1 : (tensor<4xf32>, tensor<8x2xf32>) -> (tensor<4xf32>, tensor<8x2xf32>)
  %r:2 = comm.all_reduce {"data"=8} sum %a, %b : (tensor<4xf32>, tensor<8x2xf32>) -> (tensor<4xf32>, tensor<8x2xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<8x2xf32>
}

// A sub-axis shows what comes before it.
// CHECK-LABEL: @all_gather
func.func @all_gather(%a: tensor<2x4xf32>) -> tensor<2x32xf32> {
  // CHECK: comm.all_gather {"data"=2, "model":(2)4} dim = 1 %arg0
  %r = comm.all_gather {"data"=2, "model":(2)4} dim = 1 %a : (tensor<2x4xf32>) -> tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

// CHECK-LABEL: @reduce_scatter
func.func @reduce_scatter(%a: tensor<8x4xi32>) -> tensor<2x4xi32> {
  // CHECK: comm.reduce_scatter {"x"=4} max dim = 0 %arg0
  %r = comm.reduce_scatter {"x"=4} max dim = 0 %a : (tensor<8x4xi32>) -> tensor<2x4xi32>
  return %r : tensor<2x4xi32>
}

// CHECK-LABEL: @all_to_all
func.func @all_to_all(%a: tensor<2x8xf32>) -> tensor<8x2xf32> {
  // CHECK: comm.all_to_all {"x"=4} split_dim = 1 concat_dim = 0 %arg0
  %r = comm.all_to_all {"x"=4} split_dim = 1 concat_dim = 0 %a : (tensor<2x8xf32>) -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}

// CHECK-LABEL: @permute_and_broadcast
func.func @permute_and_broadcast(%a: tensor<3xbf16>) -> tensor<3xbf16> {
  // CHECK: comm.permute {"x"=3} to = [1, 2, 0] %arg0
  %p = comm.permute {"x"=3} to = [1, 2, 0] %a : (tensor<3xbf16>) -> tensor<3xbf16>
  // CHECK: comm.broadcast {"x"=3} root = 2
  %r = comm.broadcast {"x"=3} root = 2 %p : (tensor<3xbf16>) -> tensor<3xbf16>
  return %r : tensor<3xbf16>
}

// Started and waited for.
// CHECK-LABEL: @start_wait
func.func @start_wait(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[STARTED:.+]] = comm.all_reduce {"x"=2} min %arg0 : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  %s = comm.all_reduce {"x"=2} min %a : (tensor<4xf32>) -> !comm.pending<tensor<4xf32>>
  // CHECK: comm.wait %[[STARTED]] : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  %r = comm.wait %s : (!comm.pending<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// An uneven shard is rounded up.
// CHECK-LABEL: @local_ops
func.func @local_ops(%a: tensor<7x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  // CHECK: comm.axis_index {"x"=4, "y"=2} : tensor<i32>
  %i = comm.axis_index {"x"=4, "y"=2} : tensor<i32>
  // CHECK: comm.shard {"x"=4} dim = 0 %arg0 : (tensor<7x3xf32>) -> tensor<2x3xf32>
  %s = comm.shard {"x"=4} dim = 0 %a : (tensor<7x3xf32>) -> tensor<2x3xf32>
  return %s, %i : tensor<2x3xf32>, tensor<i32>
}

// A loop over an axis in time: flat, with what it carries.
// CHECK-LABEL: @loop
func.func @loop(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[INDEX:[a-z0-9_]+]], %[[CARRIED:[a-z0-9_]+]] = comm.loop_begin "micro" = 4(%arg0) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %i, %c = comm.loop_begin "micro" = 4 (%a) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  %n = stablehlo.add %c, %b : tensor<4xf32>
  // CHECK: comm.loop_end(%{{.+}}) : (tensor<4xf32>) -> tensor<4xf32>
  %r = comm.loop_end (%n) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @transfers
func.func @transfers(%a: tensor<4xf32>, %b: tensor<2x3xbf16>) -> (tensor<4xf32>, tensor<2x3xbf16>) {
  // CHECK: comm.send {"pipe"=4} to = 1 channel = 3 %arg0, %arg1 : tensor<4xf32>, tensor<2x3xbf16>
  comm.send {"pipe"=4} to = 1 channel = 3 %a, %b : tensor<4xf32>, tensor<2x3xbf16>
  // CHECK: comm.recv {"pipe"=4} from = 3 channel = 0 : tensor<4xf32>, tensor<2x3xbf16>
  %r:2 = comm.recv {"pipe"=4} from = 3 channel = 0 : tensor<4xf32>, tensor<2x3xbf16>
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x3xbf16>
}

// The same as one op.
// CHECK-LABEL: @loop_op
func.func @loop_op(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[TOTAL:.+]] = comm.loop "ring" = 3(%arg0) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%[[INDEX:.+]]: tensor<i32>, %[[CARRIED:.+]]: tensor<4xf32>):
  %r = comm.loop "ring" = 3(%a) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>):
    // CHECK-NEXT: %[[NEXT:.+]] = stablehlo.add %[[CARRIED]], %arg1
    %n = stablehlo.add %c, %b : tensor<4xf32>
    // CHECK-NEXT: comm.yield %[[NEXT]] : tensor<4xf32>
    comm.yield %n : tensor<4xf32>
  }
  // CHECK: return %[[TOTAL]]
  return %r : tensor<4xf32>
}
