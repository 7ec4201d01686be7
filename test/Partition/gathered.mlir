// RUN: partopt-opt %s --partopt-insert-reshards -verify-diagnostics | FileCheck %s

// What cannot run on shards is gathered, and says so with the bytes.
sdy.mesh @mesh = <["x"=4]>
// CHECK: partopt.warnings = [{code = "gathered"
// CHECK-LABEL: @sliced
func.func @sliced(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  // CHECK: %[[WHOLE:.+]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
  // CHECK: stablehlo.slice %[[WHOLE]]
  // expected-warning@+1 {{'stablehlo.slice' cannot run with dimension 0 of operand 0 split over {"x"}: it is gathered, 128 bytes per device}}
  %s = stablehlo.slice %a [1:4, 0:4] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  return %s : tensor<3x4xf32>
}
