// RUN: partopt-opt %s --partopt-apply-data-parallel | FileCheck %s
// RUN: partopt-opt %s --partopt-apply-data-parallel="zero-stage=1" | FileCheck %s --check-prefix=ZERO1
// RUN: partopt-opt %s --partopt-apply-data-parallel="zero-stage=3" | FileCheck %s --check-prefix=ZERO3
// RUN: partopt-opt %s --partopt-apply-data-parallel="zero-stage=3 replica-axis=replica" | FileCheck %s --check-prefix=HSDP

// The batch is split by rows, the rest is replicated; a result that takes a
// donated buffer gets its layout and the loss stays open.
sdy.mesh @mesh = <["replica"=1, "data"=4]>
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<8x2xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output = 0 : i32}
// CHECK-SAME: %arg1: tensor<4x8xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// CHECK-SAME: %arg2: tensor<i32> {partopt.role = "scalar", sdy.sharding = #sdy.sharding<@mesh, []>}
// CHECK-SAME: -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x2xf32>)
func.func @main(%w: tensor<8x2xf32> {partopt.role = "param", tf.aliasing_output = 0 : i32},
                %x: tensor<4x8xf32> {partopt.role = "batch"},
                %n: tensor<i32> {partopt.role = "scalar"},
                %m: tensor<4xf32> {partopt.role = "opt"}) -> (tensor<8x2xf32>, tensor<4x2xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %w, %y : tensor<8x2xf32>, tensor<4x2xf32>
}

// Shards are cut along the first dimension that divides, else along the one with
// the least padding; what has no row for every device stays whole.
// CHECK-LABEL: @dims
// ZERO1-LABEL: @dims
// ZERO1-SAME: %arg0: tensor<6x8xf32> {partopt.role = "opt", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}
// ZERO1-SAME: %arg1: tensor<5x7xf32> {partopt.role = "opt", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}
// ZERO1-SAME: %arg2: tensor<3xf32> {partopt.role = "opt", sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// ZERO1-SAME: %arg3: tensor<8x2xf32> {partopt.role = "param", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// ZERO1-SAME: %arg4: tensor<8xf32> {partopt.role = "state", sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// ZERO1-SAME: %arg5: tensor<4xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}
// ZERO3-LABEL: @dims
// ZERO3-SAME: %arg3: tensor<8x2xf32> {partopt.role = "param", partopt.storage_override = {data = "keep"}, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// ZERO3-SAME: %arg4: tensor<8xf32> {partopt.role = "state", sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// HSDP-LABEL: @dims
// HSDP-SAME: %arg0: tensor<6x8xf32> {partopt.role = "opt", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}
// HSDP-SAME: %arg5: tensor<4xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"replica", "data"}]>}
func.func @dims(%a: tensor<6x8xf32> {partopt.role = "opt"}, %b: tensor<5x7xf32> {partopt.role = "opt"},
                %c: tensor<3xf32> {partopt.role = "opt"}, %w: tensor<8x2xf32> {partopt.role = "param"},
                %s: tensor<8xf32> {partopt.role = "state"}, %x: tensor<4xf32> {partopt.role = "batch"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// The rows of a stack belong to layers that are gathered one by one, so they
// are cut and not the stack.
// CHECK-LABEL: @stack
// ZERO1-LABEL: @stack
// ZERO1-SAME: %arg0: {{.*}}[{}, {}, {}]>}, %arg1: {{.*}}[{}, {"data"}, {}]>}
// ZERO3-LABEL: @stack
// ZERO3-SAME: %arg0: {{.*}}[{}, {"data"}, {}]>}, %arg1: {{.*}}[{}, {"data"}, {}]>}
func.func @stack(%w: tensor<4x8x2xf32> {partopt.layer = "layers.*", partopt.role = "param"},
                 %m: tensor<4x8x2xf32> {partopt.layer = "layers.*", partopt.role = "opt"},
                 %x: tensor<4x8xf32> {partopt.role = "batch"}) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
