// RUN: partopt-opt %s --partopt-separate-storage | FileCheck %s

// Each axis is decided for itself: experts compute with theirs although no
// tokens say so, the batch's rows are only where the weights are kept.
// CHECK-LABEL: func @by_axis
// CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"expert"}, {}, {}]> {partopt.storage_gather}
// CHECK-NOT: storage_gather
sdy.mesh @mesh = <["data"=2, "expert"=2]>
func.func @by_axis(
    %w: tensor<4x16x4xf32> {partopt.role = "param", partopt.storage_override = {data = "keep", expert = "compute"}, sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {"data"}, {}]>},
    %x: tensor<8x16xf32> {partopt.role = "batch", sdy.sharding = #sdy.sharding<@mesh, [{"data", "expert"}, {}]>}) -> tensor<8x4x4xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<4x16x4xf32>) -> tensor<8x4x4xf32>
  return %y : tensor<8x4x4xf32>
}
