// RUN: partopt-opt %s --partopt-expand-shard | FileCheck %s

// The device's rows start at its index times the rows of a shard; an uneven
// dimension is padded first.
// CHECK-LABEL: @uneven
func.func @uneven(%a: tensor<7x3xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[PADDED:.+]] = stablehlo.pad %arg0, {{.*}} high = [1, 0]{{.*}} -> tensor<8x3xf32>
  // CHECK: %[[INDEX:.+]] = comm.axis_index {"x"=4}
  // CHECK: %[[OFFSET:.+]] = stablehlo.multiply %[[INDEX]]
  // CHECK: stablehlo.dynamic_slice %[[PADDED]], %[[OFFSET]], {{.*}} sizes = [2, 3]
  %s = comm.shard {"x"=4} dim = 0 %a : (tensor<7x3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}
