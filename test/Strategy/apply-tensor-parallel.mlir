// RUN: partopt-opt %s --partopt-apply-tensor-parallel | FileCheck %s

sdy.mesh @mesh = <["data"=2, "model"=4]>

// The inner dimension is split: a column split, and the row split that takes its
// result and leaves one sum. The bias goes with it, its optimizer state too.
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<64x128xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg1: tensor<128x512xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}
// CHECK-SAME: %arg2: tensor<512xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>, tf.aliasing_output = 1 : i32}
// CHECK-SAME: %arg3: tensor<512x128xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}
// CHECK-SAME: %arg4: tensor<512xf32> {partopt.role = "opt", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}
// CHECK-SAME: tensor<512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}
func.func @main(%x: tensor<64x128xf32> {partopt.role = "batch"},
                %up: tensor<128x512xf32> {partopt.role = "param"},
                %b: tensor<512xf32> {partopt.role = "param", tf.aliasing_output = 1 : i32},
                %down: tensor<512x128xf32> {partopt.role = "param"},
                %m: tensor<512xf32> {partopt.role = "opt"}) -> (tensor<64x128xf32>, tensor<512xf32>) {
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x512xf32>
  %3 = stablehlo.dot_general %2, %down, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  %4 = stablehlo.add %b, %m : tensor<512xf32>
  return %3, %4 : tensor<64x128xf32>, tensor<512xf32>
}

// Heads that share keys: two of them on four devices take the outer half of the
// axis. The width of a head would cost a sum of every score.
// CHECK-LABEL: @grouped
// CHECK-SAME: %arg0: tensor<32x64x64xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}
// CHECK-SAME: %arg1: tensor<64x8x16xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}
// CHECK-SAME: %arg2: tensor<64x2x16xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{}, {"model":(1)2}, {}]>}
func.func @grouped(%x: tensor<32x64x64xf32> {partopt.role = "batch"},
                   %wq: tensor<64x8x16xf32> {partopt.role = "param"},
                   %wk: tensor<64x2x16xf32> {partopt.role = "param"}) -> tensor<32x8x64x64xf32> {
  %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<32x64x64xf32>, tensor<64x8x16xf32>) -> tensor<32x64x8x16xf32>
  %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<32x64x64xf32>, tensor<64x2x16xf32>) -> tensor<32x64x2x16xf32>
  %0 = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2, 4] : (tensor<32x64x2x16xf32>) -> tensor<32x64x2x4x16xf32>
  %1 = stablehlo.reshape %0 : (tensor<32x64x2x4x16xf32>) -> tensor<32x64x8x16xf32>
  %2 = stablehlo.dot_general %q, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<32x64x8x16xf32>, tensor<32x64x8x16xf32>) -> tensor<32x8x64x64xf32>
  return %2 : tensor<32x8x64x64xf32>
}

// What another recipe or the user decided over other axes stays.
// CHECK-LABEL: @kept
// CHECK-SAME: %arg0: tensor<64x128xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}
// CHECK-SAME: %arg1: tensor<128x512xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data", "model"}]>}
func.func @kept(%x: tensor<64x128xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
                %w: tensor<128x512xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) -> tensor<64x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

// A dimension that another recipe computes with in parts is taken, and the
// inside of experts is split.
// CHECK-LABEL: @experts
// CHECK-SAME: %arg1: tensor<8x128x512xf32> {partopt.role = "param", partopt.storage_override = {data = "compute", model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}
// CHECK-SAME: %arg2: tensor<8x512x128xf32> {partopt.role = "param", partopt.storage_override = {data = "compute", model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}]>}
func.func @experts(%x: tensor<8x64x128xf32> {partopt.role = "batch"},
                   %up: tensor<8x128x512xf32> {partopt.role = "param", partopt.storage_override = {data = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
                   %down: tensor<8x512x128xf32> {partopt.role = "param", partopt.storage_override = {data = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) -> tensor<8x64x128xf32> {
  %t = stablehlo.reshape %x : (tensor<8x64x128xf32>) -> tensor<512x128xf32>
  %e = stablehlo.reshape %t : (tensor<512x128xf32>) -> tensor<8x64x128xf32>
  %0 = stablehlo.dot_general %e, %up, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x64x128xf32>, tensor<8x128x512xf32>) -> tensor<8x64x512xf32>
  %1 = stablehlo.dot_general %0, %down, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x64x512xf32>, tensor<8x512x128xf32>) -> tensor<8x64x128xf32>
  return %1 : tensor<8x64x128xf32>
}

// Positions are not split although their learnt rows are a parameter: that would
// leave every weight whole, whatever it sends.
// CHECK-LABEL: @positions
// CHECK-SAME: %arg1: tensor<64x8xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg2: tensor<8x96xf32> {partopt.role = "param", partopt.storage_override = {model = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}
func.func @positions(%x: tensor<32x64x8xf32> {partopt.role = "batch"},
                     %pos: tensor<64x8xf32> {partopt.role = "param"},
                     %up: tensor<8x96xf32> {partopt.role = "param"},
                     %down: tensor<96x8xf32> {partopt.role = "param"}) -> tensor<32x64x8xf32> {
  %0 = stablehlo.broadcast_in_dim %pos, dims = [1, 2] : (tensor<64x8xf32>) -> tensor<32x64x8xf32>
  %1 = stablehlo.add %x, %0 : tensor<32x64x8xf32>
  %2 = stablehlo.dot_general %1, %up, contracting_dims = [2] x [0] : (tensor<32x64x8xf32>, tensor<8x96xf32>) -> tensor<32x64x96xf32>
  %3 = stablehlo.dot_general %2, %down, contracting_dims = [2] x [0] : (tensor<32x64x96xf32>, tensor<96x8xf32>) -> tensor<32x64x8xf32>
  %4 = stablehlo.add %1, %3 : tensor<32x64x8xf32>
  return %4 : tensor<32x64x8xf32>
}
